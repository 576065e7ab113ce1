# over: good/shifted_single_pass.py
# verdict: WA value
# group: half
# en: Round once, after the bias; a rounded x_hat is rounded again by the affine map.
# zh: 只在加完偏置之后舍入一次；提前舍入的 x̂ 会在仿射变换里再被舍入。
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
+        y = centred * torch.rsqrt(variance + self.eps)
+        y = y.to(x.dtype)
@@
-        return y.to(x.dtype)
+        return y
