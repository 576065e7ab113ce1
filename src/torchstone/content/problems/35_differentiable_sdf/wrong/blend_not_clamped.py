# over: solution.py
# verdict: WA value
# group: small
# en: Outside the blend h must stay in [0, 1].
# zh: 在融合区之外，h 必须限制在 [0, 1]。
@@
-    h = (0.5 + 0.5 * (d2 - d1) / k).clamp(0, 1)
+    h = (0.5 + 0.5 * (d2 - d1) / k)
