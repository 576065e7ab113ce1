# over: solution.py
# verdict: WA value
# group: scale
# en: For an optical depth of 1e-8, 1 - exp(-tau) is 0 in float32; expm1 keeps the digits.
# zh: 光学厚度为 1e-8 时，float32 的 1 − exp(−τ) 等于 0；expm1 能保住有效数字。
@@
-    return RenderResult(color, depth, -torch.expm1(-total[:, -1]), weights, transmittance, t)
+    return RenderResult(color, depth, 1 - escapes, weights, transmittance, t)
