# over: good/shifted_single_pass.py
# verdict: WA value
# group: small
# en: eps is an argument; do not write 1e-5 into the formula.
# zh: eps 是参数，不要把 1e-5 写死在公式里。
@@
-        rows = wide.flatten(-len(dims)) if len(dims) > 1 else wide
-        # Any constant near the data will do; the result does not depend on it, so no gradient
-        # flows through it.
-        shifted = rows - rows[..., :1].detach()
-        first, second = shifted.mean(-1, keepdim=True), shifted.square().mean(-1, keepdim=True)
-        variance = (second - first.square()).clamp(min=0)
-        y = ((shifted - first) * torch.rsqrt(variance + self.eps)).reshape(x.shape)
+        centred = wide - wide.mean(dims, keepdim=True)
+        variance = centred.square().mean(dims, keepdim=True)
+        y = centred * torch.rsqrt(variance + 1e-5)
