# over: solution.py
# verdict: WA value
# group: sample
# en: Here True means real; `key_padding_mask` of nn.MultiheadAttention is the opposite.
# zh: 这里 True 表示有效；nn.MultiheadAttention 的 key_padding_mask 恰好相反。
@@
-    mask = torch.arange(total) < lengths[:, None]
+    mask = torch.arange(total) >= lengths[:, None]
