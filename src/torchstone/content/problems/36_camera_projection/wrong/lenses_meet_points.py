# over: solution.py
# verdict: WA value
# group: small
# en: A batch of dist needs an axis for the points, dist[..., None, :]; without it lens i is used for point i.
# zh: dist 的批次要为点补一维，写成 dist[..., None, :]；否则第 i 组畸变会用在第 i 个点上。
@@
-        x, y = _distort(x, y, dist[..., None, :])
+        x, y = _distort(x, y, dist)
