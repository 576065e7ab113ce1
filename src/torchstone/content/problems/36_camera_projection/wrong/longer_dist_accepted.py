# over: solution.py
# verdict: WA property
# group: edge
# en: Here dist has five numbers; OpenCV's models with more of them are refused, not cut off.
# zh: 本题的 dist 只有五个数；OpenCV 中更长的畸变模型应当拒绝，而不是截掉多余的数。
@@
-        x, y = _distort(x, y, dist[..., None, :])
+        x, y = _distort(x, y, dist[..., None, :5])
@@
-    if dist is not None and dist.shape[-1:] != (5,):
+    if dist is not None and (dist.ndim < 1 or dist.shape[-1] < 5):
