# over: good/einsum_ellipsis.py
# verdict: FORBIDDEN_OP
# en: A graph is recorded under enable_grad, and autograd does the work.
# zh: 在 `enable_grad` 下记录计算图，让 autograd 代劳。
@@
-        y = torch.einsum("...i,oi->...o", x, self.weight)
+        y = x @ self.weight.T
@@
-        self.accumulate("weight_grad", torch.einsum("...o,...i->oi", grad_output, x))
+        g_rows = grad_output.reshape(-1, self.weight.shape[0])
+        with torch.enable_grad():
+            leaves = [item.detach().clone().requires_grad_() for item in (x, self.weight)]
+            y = leaves[0] @ leaves[1].T
+            grad_input, grad_weight = torch.autograd.grad(y, leaves, grad_output)
+        self.accumulate("weight_grad", grad_weight)
@@
-            self.accumulate("bias_grad", torch.einsum("...o->o", grad_output))
-        return torch.einsum("...o,oi->...i", grad_output, self.weight)
+            self.accumulate("bias_grad", g_rows.sum(0))
+        return grad_input
