# over: solution.py
# verdict: WA grad
# group: grad
# en: The chain rule keeps the factor.
# zh: 链式法则保留系数。
@@
-    grad_b = sum_rows(grad, list(ctx.rows), ctx.alpha) if ctx.needs_input_grad[1] else None
+    grad_b = sum_rows(grad, list(ctx.rows), 1.0) if ctx.needs_input_grad[1] else None
