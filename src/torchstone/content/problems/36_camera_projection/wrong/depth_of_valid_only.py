# over: solution.py
# verdict: WA value
# group: edge
# en: The depth is reported for every point, behind the camera as well.
# zh: 每个点都要给出深度，相机身后的点也不例外。
@@
-    return Projection(uv, depth, valid)
+    return Projection(uv, torch.where(valid, depth, 0.0), valid)
