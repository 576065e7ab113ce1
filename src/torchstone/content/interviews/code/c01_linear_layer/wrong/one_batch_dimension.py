# over: solution.py
# verdict: RTE
# group: small
# en: x may have several leading dimensions: they are one batch, so fold them before multiplying.
# zh: x 可能有多个前置维度；它们合起来才是批，相乘之前要先展平。
@@
-        rows = grad_output.reshape(-1, weight.shape[0])
+        rows = grad_output
@@
-        grad_weight = rows.T @ x.reshape(-1, weight.shape[1])
+        grad_weight = rows.transpose(0, -1) @ x
