# over: solution.py
# verdict: WA value
# group: sample
# en: The torus lies in the x, z plane: its axis is y.
# zh: 圆环位于 x、z 平面，轴是 y。
@@
-    from_ring = norm(p[..., [0, 2]]) - major
-    return norm(torch.stack([from_ring, p[..., 1]], -1)) - minor
+    from_ring = norm(p[..., [0, 1]]) - major
+    return norm(torch.stack([from_ring, p[..., 2]], -1)) - minor
