# over: solution.py
# verdict: WA value
# group: mask
# en: In a boolean mask of the encoder True blocks; in that of scaled_dot_product_attention it
#   lets through.
# zh: 编码器的布尔掩码中 True 表示屏蔽；scaled_dot_product_attention 的约定恰好相反。
@@
-    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)
+    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -math.inf)
