# over: solution.py
# verdict: WA value
# group: sample
# en: One field is sorted by length, as for packing, and no longer fits the labels.
# zh: 为了打包而按长度排序了一个字段，于是与标签错位。
@@
         dtype = torch.promote_types(dtype, each.dtype)
+    samples = sorted(samples, key=len, reverse=True)
