# over: solution.py
# verdict: WA dtype
# group: small
# en: dtype decides the parameters' dtype; float64 parameters need it.
# zh: `dtype` 决定参数的类型；float64 的参数离不开它。
@@
-                torch.ones(self.normalized_shape, device=device, dtype=dtype)
+                torch.ones(self.normalized_shape, device=device)
@@
-                    torch.zeros(self.normalized_shape, device=device, dtype=dtype)
+                    torch.zeros(self.normalized_shape, device=device)
