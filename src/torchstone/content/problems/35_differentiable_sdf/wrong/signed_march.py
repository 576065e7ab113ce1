# over: solution.py
# verdict: WA value
# group: edge
# en: From inside, t += f walks backwards.
# zh: 从内部出发，t += f 会倒退。
@@
-        distance = f(origins + t[..., None] * unit).abs()
+        distance = f(origins + t[..., None] * unit)
@@
-        hit |= alive & (distance < tol)
+        hit |= alive & (distance.abs() < tol)
