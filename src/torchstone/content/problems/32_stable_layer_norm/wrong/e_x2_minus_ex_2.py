# over: solution.py
# verdict: WA value
# group: scale
# en: E[x²] - E[x]² cancels: at a mean of 1e4 float32 has no digit of the variance left.
# zh: E[x²]−E[x]² 会相消：均值为 1e4 时，float32 里的方差已没有一位有效数
#   字。
@@
-    deviation = rows - rows[..., :1].detach()
-    deviation -= deviation.mean(-1, keepdim=True)
+    mean = rows.mean(-1, keepdim=True)
+    variance = (rows.square().mean(-1, keepdim=True) - mean.square()).clamp(min=0.0)
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
+    y = (rows - mean) * torch.rsqrt(variance + eps)
