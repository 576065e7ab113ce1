# over: good/shifted_single_pass.py
# verdict: WA grad
# group: edge
# en: The derivative of sqrt at 0 is infinite, and 0 * inf is NaN; add eps before the root.
# zh: 根号在 0 处导数无穷大，0×∞ 得 NaN；应先加 ε 再开方。
@@
-        rows = wide.flatten(-len(dims)) if len(dims) > 1 else wide
-        # Any constant near the data will do; the result does not depend on it, so no gradient
-        # flows through it.
-        shifted = rows - rows[..., :1].detach()
-        first, second = shifted.mean(-1, keepdim=True), shifted.square().mean(-1, keepdim=True)
-        variance = (second - first.square()).clamp(min=0)
-        y = ((shifted - first) * torch.rsqrt(variance + self.eps)).reshape(x.shape)
+        centred = wide - wide.mean(dims, keepdim=True)
+        sigma = centred.square().mean(dims, keepdim=True).sqrt()
+        y = centred / (sigma.square() + self.eps).sqrt()
