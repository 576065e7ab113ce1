# over: solution.py
# verdict: WA grad
# group: scale
# en: Near 0 the coefficients are set to their limits 1, 1/2 and 1/6: the values are right, the derivatives are not.
# zh: θ 很小时把系数取成极限 1、1/2、1/6：值对，导数错。
@@
-SMALL = 1.0
+SMALL = 4e-8
@@
-    a, b, c = _coefficients(phi.square().sum(-1)[..., None, None])
+    wide = phi.double().square().sum(-1)[..., None, None]
+    a, b, c = (each.to(xi.dtype) for each in _coefficients(wide))
@@
-        torch.where(is_small, _series(low, first), formula)
+        torch.where(is_small, 1 / factorial(first), formula)
