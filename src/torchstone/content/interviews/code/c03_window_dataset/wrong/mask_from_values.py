# over: solution.py
# verdict: WA value
# group: small
# en: A real element may be zero; the mask follows from the lengths.
# zh: 真实元素也可能是零；掩码要由长度得出。
@@
-    # From the lengths, not from the values: a real element may be zero.
-    mask = torch.arange(longest) < lengths[:, None]
+    mask = (padded != 0).reshape(len(batch), longest, -1).any(-1)
