# over: good/shifted_single_pass.py
# verdict: WA grad
# group: sample
# en: Mean and variance depend on x, too; detached, two terms of the gradient are lost.
# zh: 均值和方差也依赖 x；detach 之后，梯度会少掉两项。
@@
-        rows = wide.flatten(-len(dims)) if len(dims) > 1 else wide
-        # Any constant near the data will do; the result does not depend on it, so no gradient
-        # flows through it.
-        shifted = rows - rows[..., :1].detach()
-        first, second = shifted.mean(-1, keepdim=True), shifted.square().mean(-1, keepdim=True)
-        variance = (second - first.square()).clamp(min=0)
-        y = ((shifted - first) * torch.rsqrt(variance + self.eps)).reshape(x.shape)
+        mean = wide.mean(dims, keepdim=True).detach()
+        variance = (wide - mean).square().mean(dims, keepdim=True).detach()
+        y = (wide - mean) * torch.rsqrt(variance + self.eps)
