# over: good/chunked_float64.py
# verdict: WA grad
# group: small
# en: Gradients add up until zero_grad; gradient accumulation and shared layers rely on it.
# zh: 梯度要累加，直到 `zero_grad`；梯度累积和参数共享都靠它。
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
-        old = getattr(self, name)
-        setattr(self, name, value if old is None else old + value)
+        setattr(self, name, value)
