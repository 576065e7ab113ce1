# over: good/flat_einsum.py
# verdict: WA value
# group: small
# en: normalized_shape may have several dimensions; the statistics run over all of them.
# zh: `normalized_shape` 可以有多维；统计量要在所有这些维上计算。
@@
-import math
@@
-        rows = x.reshape(-1, math.prod(self.normalized_shape)).double()
-        centred = rows - rows.mean(1, keepdim=True)
-        variance = torch.einsum("ni,ni->n", centred, centred) / rows.shape[1]
-        y = torch.einsum("ni,n->ni", centred, (variance + self.eps).pow(-0.5)).reshape(x.shape)
+        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
+        centred = wide - wide.mean(-1, keepdim=True)
+        variance = centred.square().mean(-1, keepdim=True)
+        y = centred * torch.rsqrt(variance + self.eps)
