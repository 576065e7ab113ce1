# over: solution.py
# verdict: WA value
# group: sample
# en: The radial factor is a polynomial in r², not in r.
# zh: 径向因子是 r² 的多项式，而不是 r 的。
@@
-    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
+    r = r2.sqrt()
+    radial = 1 + r * (k1 + r * (k2 + r * k3))
