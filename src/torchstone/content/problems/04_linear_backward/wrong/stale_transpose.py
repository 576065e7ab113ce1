# over: good/einsum_ellipsis.py
# verdict: WA value
# group: sample
# en: Parameters change after construction; read them at every call instead of keeping a
#   transposed copy.
# zh: 参数在构造之后会变；每次调用都要重新读取，不要留一份转置的副本。
@@
         self.weight = weight.uniform_(-limit, limit, generator=generator)
+        self.weight_t = self.weight.T.contiguous()
@@
-        y = torch.einsum("...i,oi->...o", x, self.weight)
+        y = x @ self.weight_t
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
