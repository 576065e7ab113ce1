# over: solution.py
# verdict: RTE
# group: layout
# en: A tensor whose strides do not fit has no such view; reshape copies where it must.
# zh: 步长不合适的张量不能用 `view`；`reshape` 会在必要时复制。
@@
-        rows = grad_output.reshape(-1, weight.shape[0])
+        rows = grad_output.view(-1, weight.shape[0])
@@
-        grad_weight = rows.T @ x.reshape(-1, weight.shape[1])
+        grad_weight = rows.T @ x.view(-1, weight.shape[1])
