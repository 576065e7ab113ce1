# over: good/chunked_float64.py
# verdict: FORBIDDEN_OP
# en: Forward-mode tangents, one basis vector of the weight at a time.
# zh: 前向模式求导：逐个取权重的基向量作切向量。
@@
-        total = torch.zeros(self.weight.shape, dtype=torch.float64)
-        shift = torch.zeros(self.weight.shape[0], dtype=torch.float64)
-        for g, each in zip(g_rows.split(512), x_rows.split(512), strict=True):
-            total += g.double().T @ each.double()
-            shift += g.double().sum(0)
-        self.accumulate("weight_grad", total.to(self.weight.dtype))
+
+        def value(w: Tensor) -> Tensor:
+            return ((x_rows @ w.T) * g_rows).sum()
+
+        basis = torch.eye(self.weight.numel(), dtype=x.dtype).reshape(-1, *self.weight.shape)
+        columns = [torch.func.jvp(value, (self.weight,), (unit,))[1] for unit in basis]
+        self.accumulate("weight_grad", torch.stack(columns).reshape(self.weight.shape))
@@
-            self.accumulate("bias_grad", shift.to(self.bias.dtype))
+            self.accumulate("bias_grad", g_rows.sum(0))
