# over: solution.py
# verdict: WA grad
# group: state
# en: What the backward needs belongs to this call; two calls may come before one backward.
# zh: 反向所需的东西属于这一次调用；一次反向之前可能已有两次调用。
@@
-    _, b, ctx.alpha = inputs
+    global last_alpha
+    _, b, last_alpha = inputs
@@
-    grad_b = sum_rows(grad, list(ctx.rows), ctx.alpha) if ctx.needs_input_grad[1] else None
+    grad_b = sum_rows(grad, list(ctx.rows), last_alpha) if ctx.needs_input_grad[1] else None
