# over: solution.py
# verdict: WA value
# group: scale
# en: float64 only moves the cliff; a float64 input already stands at it.
# zh: 升到 float64 只是把悬崖推远；float64 的输入本来就在崖边。
@@
-    wide = torch.promote_types(x.dtype, torch.float32)
+    wide = torch.float64
@@
-    deviation = rows - rows[..., :1].detach()
-    deviation -= deviation.mean(-1, keepdim=True)
+    deviation = rows - rows.mean(-1, keepdim=True)
@@
-    # In units of the larger of deviation and sqrt(eps), no square overflows or underflows.
-    root = math.sqrt(eps)
-    size = deviation.detach().abs().amax(-1, keepdim=True)
-    size = size.clamp(min=root)
-    size = size.masked_fill(size == 0, 1.0)
-    scaled = deviation / size
-    variance = scaled.square().mean(-1, keepdim=True) + (root / size).square()
-    # Only a constant row with eps = 0 has no variance: its deviations are 0, whatever the factor.
-    y = scaled * variance.masked_fill(variance == 0, 1.0).rsqrt()
+    variance = deviation.square().mean(-1, keepdim=True) + eps
+    y = deviation * variance.masked_fill(variance == 0, 1.0).rsqrt()
