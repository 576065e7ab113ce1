# over: solution.py
# verdict: WA grad
# group: sample
# en: Mean and variance depend on x; detached, two terms of the gradient are lost.
# zh: 均值和方差都依赖 x；把它们 detach，梯度就丢掉两项。
@@
-    deviation -= deviation.mean(-1, keepdim=True)
+    deviation = deviation - deviation.mean(-1, keepdim=True).detach()
@@
     variance = scaled.square().mean(-1, keepdim=True) + (root / size).square()
+    variance = variance.detach()
