# over: solution.py
# verdict: WA property
# group: edge
# en: points are (..., N, 3): one point without the dimension N must be refused, not broadcast.
# zh: points 是 (..., N, 3)：缺少 N 这一维的单个点应当拒绝，而不是任其广播。
@@
-    if points.ndim < 2 or points.shape[-1] != 3:
+    if points.shape[-1] != 3:
