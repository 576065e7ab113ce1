# over: good/einsum_ellipsis.py
# verdict: FORBIDDEN_OP
# en: F.linear does the forward.
# zh: 前向直接调用 `F.linear`。
@@
-        y = torch.einsum("...i,oi->...o", x, self.weight)
-        return y if self.bias is None else y + self.bias
+        return torch.nn.functional.linear(x, self.weight, self.bias)
@@
-        self.accumulate("weight_grad", torch.einsum("...o,...i->oi", grad_output, x))
+        g_rows = grad_output.reshape(-1, self.weight.shape[0])
+        x_rows = x.reshape(-1, self.weight.shape[1])
+        self.accumulate("weight_grad", g_rows.T @ x_rows)
@@
-            self.accumulate("bias_grad", torch.einsum("...o->o", grad_output))
-        return torch.einsum("...o,oi->...i", grad_output, self.weight)
+            self.accumulate("bias_grad", g_rows.sum(0))
+        return grad_output @ self.weight
