# over: good/chunked_float64.py
# verdict: WA grad
# en: Finite differences of the forward: half the digits are gone.
# zh: 对前向做有限差分：有效数字丢掉一半。
@@
-        total = torch.zeros(self.weight.shape, dtype=torch.float64)
-        shift = torch.zeros(self.weight.shape[0], dtype=torch.float64)
-        for g, each in zip(g_rows.split(512), x_rows.split(512), strict=True):
-            total += g.double().T @ each.double()
-            shift += g.double().sum(0)
-        self.accumulate("weight_grad", total.to(self.weight.dtype))
+        grad_weight = torch.empty_like(self.weight)
+        h = 1e-3
+        for index in range(self.weight.numel()):
+            unit = torch.zeros_like(self.weight)
+            unit.view(-1)[index] = h
+            up, down = x_rows @ (self.weight + unit).T, x_rows @ (self.weight - unit).T
+            grad_weight.view(-1)[index] = (((up - down) * g_rows).sum() / (2 * h)).to(x.dtype)
+        self.accumulate("weight_grad", grad_weight)
@@
-            self.accumulate("bias_grad", shift.to(self.bias.dtype))
+            self.accumulate("bias_grad", g_rows.sum(0))
