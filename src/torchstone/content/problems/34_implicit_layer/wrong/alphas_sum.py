# over: solution.py
# verdict: WA property
# group: small
# en: The mixing weights do not sum to one: the Gram system is solved, but not normalised. Without
#   a sum of one the fixed point moves.
# zh: 混合权重之和不为 1：解了 Gram 方程组却没有归一化。和不为 1，不动点就会移动。
@@
     )
-    newest = images[..., -1:]
-    if len(points) > 1:
-        # In differences the weights sum to one by construction.
-        gamma = torch.linalg.lstsq(steps.diff(dim=2), steps[..., -1:]).solution
-        newest = newest - images.diff(dim=2) @ gamma
-    return newest.reshape(points[-1].shape)
+    gram = steps.mT @ steps
+    ridge = 1e-12 * gram.diagonal(dim1=1, dim2=2).sum(1) + 1e-300
+    eye = torch.eye(len(points), dtype=gram.dtype)
+    ones = gram.new_ones(len(gram), len(points), 1)
+    alpha = torch.linalg.lstsq(gram + ridge[:, None, None] * eye, ones).solution
+    return (images @ alpha).reshape(points[-1].shape)
 
