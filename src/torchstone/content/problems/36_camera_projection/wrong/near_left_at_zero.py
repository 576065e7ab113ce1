# over: solution.py
# verdict: WA value
# group: edge
# en: Where near is left out it is 1e-6; a point that is closer has no image.
# zh: 不给 near 时它是 1e-6；比这更近的点没有像。
@@ def project(
-    points: Tensor, pose: Tensor, K: Tensor, dist: Tensor | None = None, near: float = 1e-6
+    points: Tensor, pose: Tensor, K: Tensor, dist: Tensor | None = None, near: float = 0.0
