# over: solution.py
# verdict: WA dtype
# group: sample
# en: float64 inside is allowed, but the result has the dtype of the inputs.
# zh: 内部可以用 float64，但返回值的类型要与输入相同。
@@
     rho, phi = xi[..., :3], xi[..., 3:]
-    a, b, c = _coefficients(phi.square().sum(-1)[..., None, None])
+    rho, phi = rho.double(), phi.double()
+    a, b, c = _coefficients(phi.square().sum(-1)[..., None, None])
