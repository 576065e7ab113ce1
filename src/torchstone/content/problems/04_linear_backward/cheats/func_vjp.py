# over: good/chunked_float64.py
# verdict: FORBIDDEN_OP
# en: torch.func.vjp differentiates the forward.
# zh: 用 `torch.func.vjp` 对前向求导。
@@
-        total = torch.zeros(self.weight.shape, dtype=torch.float64)
-        shift = torch.zeros(self.weight.shape[0], dtype=torch.float64)
-        for g, each in zip(g_rows.split(512), x_rows.split(512), strict=True):
-            total += g.double().T @ each.double()
-            shift += g.double().sum(0)
-        self.accumulate("weight_grad", total.to(self.weight.dtype))
+        _, pull_back = torch.func.vjp(lambda w, rows: rows @ w.T, self.weight, x_rows)
+        grad_weight, grad_rows = pull_back(g_rows)
+        self.accumulate("weight_grad", grad_weight)
@@
-            self.accumulate("bias_grad", shift.to(self.bias.dtype))
-        return grad_output @ self.weight
+            self.accumulate("bias_grad", g_rows.sum(0))
+        return grad_rows.reshape(x.shape)
