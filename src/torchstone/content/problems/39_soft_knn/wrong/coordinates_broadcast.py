# over: solution.py
# verdict: WA property
# group: edge
# en: D must be equal; D = 1 does not broadcast.
# zh: D 必须相同，D = 1 也不做广播。
@@
-    if query.shape[:-2] != points.shape[:-2] or query.shape[-1] != points.shape[-1]:
+    if query.shape[:-2] != points.shape[:-2]:
