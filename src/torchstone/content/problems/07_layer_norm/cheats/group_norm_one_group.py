# over: good/flat_einsum.py
# verdict: FORBIDDEN_OP
# en: Group norm with one group is layer norm.
# zh: 只有一个组的 group norm 就是 layer norm。
@@
-        rows = x.reshape(-1, math.prod(self.normalized_shape)).double()
-        centred = rows - rows.mean(1, keepdim=True)
-        variance = torch.einsum("ni,ni->n", centred, centred) / rows.shape[1]
-        y = torch.einsum("ni,n->ni", centred, (variance + self.eps).pow(-0.5)).reshape(x.shape)
+        rows = x.reshape(-1, 1, math.prod(self.normalized_shape))
+        y = nn.functional.group_norm(rows, 1, eps=self.eps).reshape(x.shape)
