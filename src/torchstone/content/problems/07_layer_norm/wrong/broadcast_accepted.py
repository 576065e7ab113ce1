# over: good/flat_einsum.py
# verdict: WA property
# group: errors
# en: Broadcasting stretches a last size of 1 and hides a wrong shape; compare the sizes.
# zh: 广播会把大小为 1 的末维拉长，从而掩盖错误的形状；应逐维比较大小。
@@
-import math
@@
-        if tuple(x.shape[-len(self.normalized_shape) :]) != self.normalized_shape:
-            raise ValueError(
-                f"LayerNorm: {tuple(x.shape)} does not end in {self.normalized_shape}."
-            )
-        rows = x.reshape(-1, math.prod(self.normalized_shape)).double()
-        centred = rows - rows.mean(1, keepdim=True)
-        variance = torch.einsum("ni,ni->n", centred, centred) / rows.shape[1]
-        y = torch.einsum("ni,n->ni", centred, (variance + self.eps).pow(-0.5)).reshape(x.shape)
+        dims = tuple(range(-len(self.normalized_shape), 0))
+        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
+        centred = wide - wide.mean(dims, keepdim=True)
+        variance = centred.square().mean(dims, keepdim=True)
+        y = centred * torch.rsqrt(variance + self.eps)
