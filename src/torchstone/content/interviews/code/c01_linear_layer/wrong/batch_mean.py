# over: solution.py
# verdict: WA grad
# group: sample
# en: The mean over the batch belongs to the loss; a layer only applies the chain rule.
# zh: 对批求平均是损失函数的事，层只负责链式法则。
@@
-        grad_weight = rows.T @ x.reshape(-1, weight.shape[1])
-        grad_bias = rows.sum(0) if ctx.has_bias else None
+        grad_weight = rows.T @ x.reshape(-1, weight.shape[1]) / max(len(rows), 1)
+        grad_bias = rows.sum(0) / max(len(rows), 1) if ctx.has_bias else None
