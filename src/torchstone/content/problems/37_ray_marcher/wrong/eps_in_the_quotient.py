# over: solution.py
# verdict: WA value
# group: small
# en: eps is added to each mass, not to their sum.
# zh: eps 加在每个质量上，不是加在总和上。
@@
-    mass = weights.clamp(min=0) + eps
+    mass = weights.clamp(min=0)
@@
-    p = mass / mass.sum(-1, keepdim=True)
+    p = mass / (mass.sum(-1, keepdim=True) + eps)
