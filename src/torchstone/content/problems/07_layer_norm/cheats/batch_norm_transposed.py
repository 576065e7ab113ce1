# over: good/flat_einsum.py
# verdict: FORBIDDEN_OP
# en: Batch norm of the transpose: the samples pose as channels.
# zh: 对转置做 batch norm：让样本冒充通道。
@@
-        rows = x.reshape(-1, math.prod(self.normalized_shape)).double()
-        centred = rows - rows.mean(1, keepdim=True)
-        variance = torch.einsum("ni,ni->n", centred, centred) / rows.shape[1]
-        y = torch.einsum("ni,n->ni", centred, (variance + self.eps).pow(-0.5)).reshape(x.shape)
+        rows = x.reshape(-1, math.prod(self.normalized_shape)).T
+        y = nn.functional.batch_norm(rows, None, None, training=True, eps=self.eps).T.reshape(
+            x.shape
+        )
