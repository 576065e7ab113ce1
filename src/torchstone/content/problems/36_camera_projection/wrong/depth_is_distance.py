# over: solution.py
# verdict: WA value
# group: sample
# en: The depth is the coordinate Z along the optical axis, not the distance to the centre.
# zh: 深度是沿光轴的坐标 Z，而不是到相机中心的距离。
@@
-    return Projection(uv, depth, valid)
+    return Projection(uv, camera.norm(dim=-1), valid)
