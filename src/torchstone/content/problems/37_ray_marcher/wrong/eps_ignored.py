# over: solution.py
# verdict: WA value
# group: small
# en: eps is added to the mass of each bin.
# zh: 每个区间的质量都要加 eps。
@@
-    mass = weights.clamp(min=0) + eps
+    mass = weights.clamp(min=0) + 1e-5
