# over: solution.py
# verdict: WA grad
# group: edge
# en: The depth is differentiable for every point, behind the camera as well.
# zh: 每个点的深度都可微，相机身后的点也不例外。
@@
-    return Projection(uv, depth, valid)
+    return Projection(uv, torch.where(valid, depth, depth.detach()), valid)
