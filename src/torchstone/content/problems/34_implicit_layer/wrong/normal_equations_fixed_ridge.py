# over: solution.py
# verdict: WA property
# group: small
# en: A ridge of 1e-4 is added to the normal equations; squared residuals soon lie below it. Scale
#   it, or use least squares.
# zh: 正规方程加了固定的 1e-4 岭；残差的平方很快远小于它，应按相对大小缩放，或用最小二乘。
@@
         # In differences the weights sum to one by construction.
-        gamma = torch.linalg.lstsq(steps.diff(dim=2), steps[..., -1:]).solution
+        d = steps.diff(dim=2)
+        gram = d.mT @ d + 1e-4 * torch.eye(d.shape[2], dtype=d.dtype)
+        gamma = torch.linalg.solve(gram, d.mT @ steps[..., -1:])
         newest = newest - images.diff(dim=2) @ gamma
