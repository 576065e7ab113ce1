# over: good/flat_einsum.py
# verdict: WA value
# group: half
# en: In half precision a sum of squares overflows or rounds away; compute in float32 and round
#   once.
# zh: 半精度下平方和会溢出或丢失精度；应以 float32 计算，最后只舍入一次。
@@
-import math
@@
-        rows = x.reshape(-1, math.prod(self.normalized_shape)).double()
-        centred = rows - rows.mean(1, keepdim=True)
-        variance = torch.einsum("ni,ni->n", centred, centred) / rows.shape[1]
-        y = torch.einsum("ni,n->ni", centred, (variance + self.eps).pow(-0.5)).reshape(x.shape)
+        dims = tuple(range(-len(self.normalized_shape), 0))
+        centred = x - x.mean(dims, keepdim=True)
+        variance = centred.square().mean(dims, keepdim=True)
+        y = centred * torch.rsqrt(variance + self.eps)
