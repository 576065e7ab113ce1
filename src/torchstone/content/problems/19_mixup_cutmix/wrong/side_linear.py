# over: solution.py
# verdict: WA value
# group: box
# en: 1 - lam is the share of the area, so a side has the share of its square root.
# zh: 1 − lam 是面积之比，边长之比应取其平方根。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
-import math
-
@@
-    r = 0.5 * math.sqrt(1 - lam)
+    r = 0.5 * (1 - lam)
