# over: solution.py
# verdict: WA grad
# group: double
# en: A gradient that is cut off has a second derivative of 0, and nobody is told.
# zh: 切断了的梯度，二阶导数悄悄变成 0，谁也不知道。
@@
-    grad_b = sum_rows(grad, list(ctx.rows), ctx.alpha) if ctx.needs_input_grad[1] else None
+    grad_b = None
+    if ctx.needs_input_grad[1]:
+        grad_b = sum_rows(grad.detach(), list(ctx.rows), ctx.alpha)
@@
-
-def backward_of_rows(ctx, grad: Tensor):
-    zeros = torch.zeros(ctx.shape, dtype=grad.dtype, device=grad.device)
-    return torch.ops.ts42.add(zeros, grad, ctx.alpha), None, None
-
-
-def remember_shape(ctx, inputs, output) -> None:
-    grad, _, ctx.alpha = inputs
-    ctx.shape = grad.shape
-
-
-sum_rows.register_autograd(backward_of_rows, setup_context=remember_shape)
-
