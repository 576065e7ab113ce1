# over: solution.py
# verdict: FORBIDDEN_OP
# en: Tries the operator, and computes by hand only if it is refused.
# zh: 先试内置算子，被拒绝时才自己计算。
@@
-        # Scaled before the product: in float16 the product alone could overflow.
-        scores = (q / math.sqrt(self.head_dim)) @ k.transpose(-2, -1)
-        weights = self.dropout(masked_softmax(scores, mask))
-        context = (weights @ v).transpose(1, 2).reshape(batch, length, d_model)
+        p = self.dropout.p if self.training else 0.0
+        try:
+            context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)
+        except RuntimeError:
+            scores = (q / math.sqrt(self.head_dim)) @ k.transpose(-2, -1)
+            context = self.dropout(masked_softmax(scores, mask)) @ v
+        context = context.transpose(1, 2).reshape(batch, length, d_model)
