# over: solution.py
# verdict: WA grad | RTE
# group: grad
# en: The gradient that arrives may have any strides; that of a sum has stride 0.
# zh: 传入的梯度可以是任意 stride；对 sum 求导时传来的 stride 就是 0。
@@
-    inputs = (grad.contiguous(), input.contiguous(), grid.contiguous())
+    inputs = (grad, input.contiguous(), grid.contiguous())
