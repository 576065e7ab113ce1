# over: good/flat_einsum.py
# verdict: WA value
# group: sample
# en: LayerNorm never looks at other samples; dimension 0 is the batch.
# zh: LayerNorm 不看别的样本；第 0 维是批。
@@
-import math
@@
-        rows = x.reshape(-1, math.prod(self.normalized_shape)).double()
-        centred = rows - rows.mean(1, keepdim=True)
-        variance = torch.einsum("ni,ni->n", centred, centred) / rows.shape[1]
-        y = torch.einsum("ni,n->ni", centred, (variance + self.eps).pow(-0.5)).reshape(x.shape)
+        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
+        centred = wide - wide.mean(0, keepdim=True)
+        variance = centred.square().mean(0, keepdim=True)
+        y = centred * torch.rsqrt(variance + self.eps)
