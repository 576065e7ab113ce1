# over: good/chunked_float64.py
# verdict: WA property
# group: errors
# en: A refused call must change nothing: check the cotangent before you consume the saved input.
# zh: 被拒绝的调用不能改动任何东西；先检查上游梯度的形状，再取走保存的输入。
@@
-        if self.saved is None:
+        x, self.saved = self.saved, None
+        if x is None:
@@
-        x = self.saved
@@
             raise ValueError(f"Linear: bad cotangent of shape {tuple(grad_output.shape)}.")
-        self.saved = None
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
