# over: good/chunked_float64.py
# verdict: WA property
# group: sample
# en: Without autograd no tensor needs a graph; a Parameter requires grad unless told otherwise.
# zh: 不用 autograd，就不要留下计算图；`nn.Parameter` 默认 requires_grad=True。
@@
-        self.weight = weight.uniform_(-limit, limit, generator=generator)
+        self.weight = torch.nn.Parameter(weight.uniform_(-limit, limit, generator=generator))
@@
-            self.bias = shift.uniform_(-limit, limit, generator=generator)
+            self.bias = torch.nn.Parameter(shift.uniform_(-limit, limit, generator=generator))
@@
         self.zero_grad()

+    @torch.no_grad()
@@
         return y if self.bias is None else y + self.bias

+    @torch.no_grad()
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
@@
         self.bias_grad = None

+    @torch.no_grad()
