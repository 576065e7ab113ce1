# over: good/chunked_float64.py
# verdict: WA property
# group: small
# en: None means no gradient yet, zero means that the gradient is zero; step must tell them apart.
# zh: None 表示还没有梯度，零表示梯度为零；`step` 要能区分二者。
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
-        self.weight_grad = None
-        self.bias_grad = None
+        self.weight_grad = torch.zeros_like(self.weight)
+        self.bias_grad = None if self.bias is None else torch.zeros_like(self.bias)
