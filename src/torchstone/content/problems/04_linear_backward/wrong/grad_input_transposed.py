# over: good/chunked_float64.py
# verdict: WA grad
# group: small
# en: Forward multiplied by W^T, so backward multiplies by W; a square layer takes either.
# zh: 前向乘 Wᵀ，反向就乘 W；方阵两种都乘得通，掩盖了错误。
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
-        return grad_output @ self.weight
+            self.accumulate("bias_grad", g_rows.sum(0))
+        matrix = self.weight.T
+        if matrix.shape[0] != grad_output.shape[-1]:
+            matrix = matrix.T
+        return grad_output @ matrix
