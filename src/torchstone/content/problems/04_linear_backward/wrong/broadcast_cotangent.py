# over: good/chunked_float64.py
# verdict: WA property
# group: errors
# en: A cotangent of shape (1, out) is silently broadcast; check that it has the output's shape.
# zh: 形状为 (1, out) 的上游梯度会被悄悄广播；要检查它与输出形状一致。
@@
-        if grad_output.shape != (*x.shape[:-1], self.weight.shape[0]):
-            raise ValueError(f"Linear: bad cotangent of shape {tuple(grad_output.shape)}.")
+        grad_output = grad_output.expand(*x.shape[:-1], self.weight.shape[0])
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
