# over: good/chunked_float64.py
# verdict: MLE
# group: large
# en: A sum of outer products is one matrix product; never build N x out x in.
# zh: 外积之和就是一次矩阵乘，不要真的造出 N×out×in。
@@
-        total = torch.zeros(self.weight.shape, dtype=torch.float64)
-        shift = torch.zeros(self.weight.shape[0], dtype=torch.float64)
-        for g, each in zip(g_rows.split(512), x_rows.split(512), strict=True):
-            total += g.double().T @ each.double()
-            shift += g.double().sum(0)
-        self.accumulate("weight_grad", total.to(self.weight.dtype))
+        products = g_rows.double()[:, :, None] * x_rows.double()[:, None, :]
+        self.accumulate("weight_grad", products.sum(0).to(x.dtype))
@@
-            self.accumulate("bias_grad", shift.to(self.bias.dtype))
+            self.accumulate("bias_grad", g_rows.sum(0))
