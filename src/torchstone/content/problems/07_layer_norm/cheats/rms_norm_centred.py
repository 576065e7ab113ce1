# over: good/shifted_single_pass.py
# verdict: FORBIDDEN_OP
# en: RMS norm of the centred input does the difficult half.
# zh: 先减均值再调用 RMS norm：难的那一半仍是内置算子做的。
@@
-        rows = wide.flatten(-len(dims)) if len(dims) > 1 else wide
-        # Any constant near the data will do; the result does not depend on it, so no gradient
-        # flows through it.
-        shifted = rows - rows[..., :1].detach()
-        first, second = shifted.mean(-1, keepdim=True), shifted.square().mean(-1, keepdim=True)
-        variance = (second - first.square()).clamp(min=0)
-        y = ((shifted - first) * torch.rsqrt(variance + self.eps)).reshape(x.shape)
+        centred = wide - wide.mean(dims, keepdim=True)
+        y = nn.functional.rms_norm(centred, self.normalized_shape, eps=self.eps)
