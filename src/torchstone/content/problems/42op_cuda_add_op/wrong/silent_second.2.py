# over: solution.py
# verdict: WA grad
# group: double
# en: A gradient that is cut off has a second derivative of 0, and nobody is told.
# zh: 切断了的梯度，二阶导数悄悄变成 0，谁也不知道。
@@
-    grad_a = grad if ctx.needs_input_grad[0] else None
+    grad_a = grad.detach() if ctx.needs_input_grad[0] else None
