# over: good/chunked_float64.py
# verdict: FORBIDDEN_OP
# en: A 1x1 convolution is a linear layer, and its backward returns all three gradients.
# zh: 1×1 卷积就是线性层，它的反向一次给出三个梯度。
@@
-        total = torch.zeros(self.weight.shape, dtype=torch.float64)
-        shift = torch.zeros(self.weight.shape[0], dtype=torch.float64)
-        for g, each in zip(g_rows.split(512), x_rows.split(512), strict=True):
-            total += g.double().T @ each.double()
-            shift += g.double().sum(0)
-        self.accumulate("weight_grad", total.to(self.weight.dtype))
+        grad_rows, grad_weight, grad_bias = torch.ops.aten.convolution_backward(
+            g_rows[:, :, None],
+            x_rows[:, :, None],
+            self.weight[:, :, None],
+            [self.weight.shape[0]],
+            [1],
+            [0],
+            [1],
+            False,
+            [0],
+            1,
+            [True, True, True],
+        )
+        self.accumulate("weight_grad", grad_weight[:, :, 0])
@@
-            self.accumulate("bias_grad", shift.to(self.bias.dtype))
-        return grad_output @ self.weight
+            self.accumulate("bias_grad", grad_bias)
+        return grad_rows[:, :, 0].reshape(x.shape)
