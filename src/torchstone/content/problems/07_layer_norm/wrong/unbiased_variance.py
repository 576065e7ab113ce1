# over: good/shifted_single_pass.py
# verdict: WA value
# group: sample
# en: var() divides by n - 1; LayerNorm divides by n (correction=0).
# zh: `var()` 默认除以 n−1；LayerNorm 除以 n（correction=0）。
@@
-        rows = wide.flatten(-len(dims)) if len(dims) > 1 else wide
-        # Any constant near the data will do; the result does not depend on it, so no gradient
-        # flows through it.
-        shifted = rows - rows[..., :1].detach()
-        first, second = shifted.mean(-1, keepdim=True), shifted.square().mean(-1, keepdim=True)
-        variance = (second - first.square()).clamp(min=0)
-        y = ((shifted - first) * torch.rsqrt(variance + self.eps)).reshape(x.shape)
+        mean = wide.mean(dims, keepdim=True)
+        variance = wide.var(dims, keepdim=True)
+        y = (wide - mean) * torch.rsqrt(variance + self.eps)
