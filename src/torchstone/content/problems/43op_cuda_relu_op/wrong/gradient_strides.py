# over: solution.py
# verdict: WA grad
# group: grad
# en: The gradient that arrives may have any strides; that of a sum has stride 0.
# zh: 传入的梯度可以是任意 stride；对 sum 求导时传来的 stride 就是 0。
@@
-    # What arrives may have any strides: that of a sum is one number, expanded.
-    grad_y, y = grad_y.contiguous(), y.contiguous()
+    y = y.contiguous()
