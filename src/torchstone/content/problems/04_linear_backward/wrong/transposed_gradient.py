# over: good/chunked_float64.py
# verdict: WA grad
# group: small
# en: weight is (out, in), so its gradient is g^T x; turning x^T g until it fits fails for a
#   square layer.
# zh: 权重形状是 (out, in)，梯度是 gᵀx；算出 xᵀg 再转置到形状合适为止，遇到方阵就错了。
@@
-        total = torch.zeros(self.weight.shape, dtype=torch.float64)
-        shift = torch.zeros(self.weight.shape[0], dtype=torch.float64)
-        for g, each in zip(g_rows.split(512), x_rows.split(512), strict=True):
-            total += g.double().T @ each.double()
-            shift += g.double().sum(0)
-        self.accumulate("weight_grad", total.to(self.weight.dtype))
+        product = x_rows.T @ g_rows
+        if product.shape != self.weight.shape:
+            product = product.T
+        self.accumulate("weight_grad", product)
@@
-            self.accumulate("bias_grad", shift.to(self.bias.dtype))
+            self.accumulate("bias_grad", g_rows.sum(0))
