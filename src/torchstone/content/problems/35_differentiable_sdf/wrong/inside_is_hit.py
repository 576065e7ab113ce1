# over: solution.py
# verdict: WA property
# group: edge
# en: A start inside is not yet on the surface: compare |f| with tol.
# zh: 从内部出发时还没有到达表面：应当用 |f| 与 tol 比较。
@@
-        distance = f(origins + t[..., None] * unit).abs()
+        distance = f(origins + t[..., None] * unit)
