# over: solution.py
# verdict: WA value
# en: I + A / 4096, squared twelve times: right to three digits.
# zh: 把 I + A / 4096 平方十二次：只有三位数字正确。
@@
-    a, b, c = _coefficients(phi.square().sum(-1)[..., None, None])
-    hat = _hat(phi)
-    square = hat @ hat
-    eye = torch.eye(3, dtype=xi.dtype)
-    rotation = eye + a * hat + b * square
-    translation = (eye + b * hat + c * square) @ rho[..., None]
-    bottom = torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=xi.dtype).expand(*xi.shape[:-1], 1, 4)
-    return torch.cat([torch.cat([rotation, translation], -1), bottom], -2)
+    twist = torch.cat([_hat(phi), rho[..., None]], -1)
+    twist = torch.cat([twist, torch.zeros_like(twist[..., :1, :])], -2)
+    motion = torch.eye(4, dtype=xi.dtype) + twist / 4096
+    for _ in range(12):
+        motion = motion @ motion
+    return motion
