# over: solution.py
# verdict: FORBIDDEN_OP
# en: The same operator, put together from its name.
# zh: 同一个算子，用拼出来的名字去取。
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
+    return getattr(torch.ops.aten, "_".join(["linalg", "matrix", "exp"])).default(twist)
