# over: solution.py
# verdict: WA value
# group: sample
# en: This mask is true at real elements; attention's key_padding_mask is the opposite.
# zh: 这里的掩码在真实元素处为真；注意力的 key_padding_mask 正好相反。
@@
-    mask = torch.arange(longest) < lengths[:, None]
+    mask = torch.arange(longest) >= lengths[:, None]
