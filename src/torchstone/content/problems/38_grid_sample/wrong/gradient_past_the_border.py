# over: solution.py
# verdict: WA grad
# group: grad
# en: Where border clips a position, moving it changes nothing: the gradient of the grid is 0.
# zh: 被 border 裁剪的位置再移动也不改变结果：grid 的梯度为 0。
@@
-    return x.clamp(0, size - 1)
+    return x + (x.clamp(0, size - 1) - x).detach()
