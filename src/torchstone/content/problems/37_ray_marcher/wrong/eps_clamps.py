# over: solution.py
# verdict: WA value
# group: small
# en: eps is added to the mass; it is not the least mass.
# zh: eps 是加到质量上的，不是质量的下限。
@@
-    mass = weights.clamp(min=0) + eps
+    mass = weights.clamp(min=eps)
