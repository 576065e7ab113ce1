# over: good/chunked_float64.py
# verdict: WA grad
# group: sample
# en: The mean belongs to the loss; the layer just applies the chain rule.
# zh: 求平均是损失函数的事，层只负责链式法则。
@@
-        total = torch.zeros(self.weight.shape, dtype=torch.float64)
-        shift = torch.zeros(self.weight.shape[0], dtype=torch.float64)
-        for g, each in zip(g_rows.split(512), x_rows.split(512), strict=True):
-            total += g.double().T @ each.double()
-            shift += g.double().sum(0)
-        self.accumulate("weight_grad", total.to(self.weight.dtype))
+        num_rows = max(len(g_rows), 1)
+        self.accumulate("weight_grad", g_rows.T @ x_rows / num_rows)
@@
-            self.accumulate("bias_grad", shift.to(self.bias.dtype))
+            self.accumulate("bias_grad", g_rows.sum(0) / num_rows)
