# over: solution.py
# verdict: WA value
# group: edge
# en: An invalid point has uv = 0, not the principal point.
# zh: 无效点的 uv 是 0，而不是主点。
@@
-    uv = torch.where(valid[..., None], torch.stack([u, v], -1), 0.0)
+    uv = torch.stack([u, v], -1)
