# over: good/shifted_single_pass.py
# verdict: WA value
# group: scale
# en: E[x^2] - E[x]^2 subtracts two large numbers and keeps their rounding; subtract the mean
#   first.
# zh: E[x²]−E[x]² 是两个大数相减，剩下的主要是舍入误差；应先减均值。
@@
-        rows = wide.flatten(-len(dims)) if len(dims) > 1 else wide
-        # Any constant near the data will do; the result does not depend on it, so no gradient
-        # flows through it.
-        shifted = rows - rows[..., :1].detach()
-        first, second = shifted.mean(-1, keepdim=True), shifted.square().mean(-1, keepdim=True)
-        variance = (second - first.square()).clamp(min=0)
-        y = ((shifted - first) * torch.rsqrt(variance + self.eps)).reshape(x.shape)
+        mean = wide.mean(dims, keepdim=True)
+        variance = wide.square().mean(dims, keepdim=True) - mean.square()
+        y = (wide - mean) * torch.rsqrt(variance.clamp(min=0) + self.eps)
