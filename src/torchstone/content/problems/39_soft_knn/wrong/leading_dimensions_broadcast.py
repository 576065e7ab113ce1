# over: solution.py
# verdict: WA property
# group: edge
# en: Leading dimensions must be equal; they do not broadcast.
# zh: 前导维必须相同，不做广播。
@@
-    if query.shape[:-2] != points.shape[:-2] or query.shape[-1] != points.shape[-1]:
+    if query.shape[-1] != points.shape[-1]:
