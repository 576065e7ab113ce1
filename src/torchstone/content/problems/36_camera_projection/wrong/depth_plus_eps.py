# over: solution.py
# verdict: WA value
# group: small
# en: An eps added to the depth moves every image; points at depth 0 are masked instead.
# zh: 给深度加 eps 会移动每个像素；深度为 0 的点应当用掩码排除。
@@
-    xy = camera[..., :2] / torch.where(valid, depth, 1.0)[..., None]
+    xy = camera[..., :2] / (torch.where(valid, depth, 1.0) + 1e-6)[..., None]
