# over: good/chunked_float64.py
# verdict: WA shape
# group: small
# en: Sum over every dimension that the bias was broadcast to, not only the first.
# zh: 偏置在哪些维上被广播，就在哪些维上求和，不只是第 0 维。
@@
-        total = torch.zeros(self.weight.shape, dtype=torch.float64)
-        shift = torch.zeros(self.weight.shape[0], dtype=torch.float64)
-        for g, each in zip(g_rows.split(512), x_rows.split(512), strict=True):
-            total += g.double().T @ each.double()
-            shift += g.double().sum(0)
-        self.accumulate("weight_grad", total.to(self.weight.dtype))
+        self.accumulate("weight_grad", g_rows.T @ x_rows)
@@
-            self.accumulate("bias_grad", shift.to(self.bias.dtype))
+            self.accumulate("bias_grad", grad_output.sum(0))
