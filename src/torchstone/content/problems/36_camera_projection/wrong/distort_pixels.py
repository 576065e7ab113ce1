# over: solution.py
# verdict: WA value
# group: sample
# en: Distortion acts on the normalised coordinates X/Z and Y/Z, before K, not on pixels.
# zh: 畸变作用于归一化坐标 X/Z、Y/Z，在乘 K 之前，而不是作用于像素。
@@
     x, y = torch.where(valid[..., None], xy, 0.0).unbind(-1)
-    if dist is not None:
-        x, y = _distort(x, y, dist[..., None, :])
@@
-    v = K[..., 1, 1, None] * y + K[..., 1, 2, None]
+    v = K[..., 1, 1, None] * y + K[..., 1, 2, None]
+    if dist is not None:
+        u, v = _distort(u, v, dist[..., None, :])
