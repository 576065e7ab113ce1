# over: good/einsum_ellipsis.py
# verdict: WA grad
# group: small
# en: State belongs to the instance; a list in the class body is shared by all layers.
# zh: 状态属于实例；写在类体里的列表由所有层共用。
@@
 class Linear:
+    saved = []  # noqa: RUF012
+
@@
             self.bias = shift.uniform_(-limit, limit, generator=generator)
-        self.saved = None
+        self.saved.clear()
@@
-        self.saved = x
-        y = torch.einsum("...i,oi->...o", x, self.weight)
+        self.saved.append(x)
+        y = x @ self.weight.T
@@
-        if self.saved is None:
+        if not self.saved:
@@
-        x = self.saved
+        x = self.saved[-1]
@@
-        self.saved = None
-        self.accumulate("weight_grad", torch.einsum("...o,...i->oi", grad_output, x))
+        self.saved.pop()
+        g_rows = grad_output.reshape(-1, self.weight.shape[0])
+        x_rows = x.reshape(-1, self.weight.shape[1])
+        self.accumulate("weight_grad", g_rows.T @ x_rows)
@@
-            self.accumulate("bias_grad", torch.einsum("...o->o", grad_output))
-        return torch.einsum("...o,oi->...i", grad_output, self.weight)
+            self.accumulate("bias_grad", g_rows.sum(0))
+        return grad_output @ self.weight
