# over: solution.py
# verdict: WA value
# group: edge
# en: float64 twists are computed in float32: nine digits are lost.
# zh: float64 的输入却用 float32 计算，丢掉了九位数字。
@@
-    a, b, c = _coefficients(phi.square().sum(-1)[..., None, None])
+    narrow = phi.float().square().sum(-1)[..., None, None]
+    a, b, c = (each.to(xi.dtype) for each in _coefficients(narrow))
