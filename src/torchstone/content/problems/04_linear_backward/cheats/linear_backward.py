# over: good/chunked_float64.py
# verdict: FORBIDDEN_OP | RTE
# en: The operator that autograd calls for nn.Linear on some backends.
# zh: 直接调用 autograd 在某些后端上为 `nn.Linear` 使用的算子。
@@
-        total = torch.zeros(self.weight.shape, dtype=torch.float64)
-        shift = torch.zeros(self.weight.shape[0], dtype=torch.float64)
-        for g, each in zip(g_rows.split(512), x_rows.split(512), strict=True):
-            total += g.double().T @ each.double()
-            shift += g.double().sum(0)
-        self.accumulate("weight_grad", total.to(self.weight.dtype))
+        mask = [True, True, False]
+        grads = torch.ops.aten.linear_backward(x_rows, g_rows, self.weight, mask)
+        self.accumulate("weight_grad", grads[1])
@@
-            self.accumulate("bias_grad", shift.to(self.bias.dtype))
+            self.accumulate("bias_grad", g_rows.sum(0))
