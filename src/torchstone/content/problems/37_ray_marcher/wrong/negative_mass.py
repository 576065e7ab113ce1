# over: solution.py
# verdict: WA value
# group: edge
# en: A negative weight has no mass: max(w, 0).
# zh: 负权重没有质量：取 max(w, 0)。
@@
-    mass = weights.clamp(min=0) + eps
+    mass = weights + eps
