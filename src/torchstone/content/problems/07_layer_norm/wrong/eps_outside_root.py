# over: good/shifted_single_pass.py
# verdict: WA value
# group: scale
# en: eps belongs inside the root, next to the variance; there it keeps the gradient finite, too.
# zh: ε 应加在根号里面，与方差相加；梯度也因此保持有限。
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
+        y = centred / (variance.sqrt() + self.eps)
