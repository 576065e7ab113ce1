# over: solution.py
# verdict: FORBIDDEN_OP
# en: Lets the fused operator add the bias, split the heads and scale the queries.
# zh: 让融合算子完成加偏置、拆头与缩放。
@@
-        qkv = F.linear(x, self.in_proj_weight, self.in_proj_bias)
-        # (B, L, 3 D) -> (3, B, H, L, head_dim)
-        heads = qkv.view(batch, length, 3, self.nhead, self.head_dim).permute(2, 0, 3, 1, 4)
-        q, k, v = heads.unbind(0)
-        # Scaled before the product: in float16 the product alone could overflow.
-        scores = (q / math.sqrt(self.head_dim)) @ k.transpose(-2, -1)
+        qkv = x @ self.in_proj_weight.T
+        q, k, v = torch._transform_bias_rescale_qkv(qkv, self.in_proj_bias, self.nhead)
+        scores = q @ k.transpose(-2, -1)
