# over: solution.py
# verdict: WA value
# group: edge
# en: Clamping the depth gives a point behind the camera an image and a gradient.
# zh: 把深度截到 near，会让相机身后的点也有成像和梯度。
@@
-    xy = camera[..., :2] / torch.where(valid, depth, 1.0)[..., None]
-    x, y = torch.where(valid[..., None], xy, 0.0).unbind(-1)
+    x, y = (camera[..., :2] / depth.clamp(min=near)[..., None]).unbind(-1)
@@
-    uv = torch.where(valid[..., None], torch.stack([u, v], -1), 0.0)
+    uv = torch.stack([u, v], -1)
