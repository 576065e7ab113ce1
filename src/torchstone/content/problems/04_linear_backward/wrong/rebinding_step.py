# over: good/chunked_float64.py
# verdict: WA property
# group: edge
# en: An optimiser updates in place; others hold the same tensor and would keep the old one.
# zh: 优化器应原地更新；别人还拿着同一个张量，换了对象他们就看不到更新。
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
+            self.accumulate("bias_grad", g_rows.sum(0))
@@
-            self.weight -= lr * self.weight_grad
+            self.weight = self.weight - lr * self.weight_grad
@@
-            self.bias -= lr * self.bias_grad
+            self.bias = self.bias - lr * self.bias_grad
