# over: solution.py
# verdict: WA value
# group: small
# en: d1 minus d2 is the intersection of d1 with the outside of d2.
# zh: d1 减 d2 是 d1 与 d2 外部的交。
@@
-    return smooth_intersection(d1, -d2, k)
+    return smooth_intersection(-d1, d2, k)
