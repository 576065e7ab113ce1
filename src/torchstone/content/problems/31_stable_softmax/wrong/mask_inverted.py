# over: solution.py
# verdict: WA value
# group: small
# en: Here True keeps an entry, as in scaled_dot_product_attention; key_padding_mask is the opposite.
# zh: 本题 True 表示保留，与 scaled_dot_product_attention 相同，与 key_padding_mask 相反。
@@ def hide
-    return values if mask is None else values.masked_fill(~mask, filler)
+    return values if mask is None else values.masked_fill(mask, filler)
