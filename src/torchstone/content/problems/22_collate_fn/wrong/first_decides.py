# over: solution.py
# verdict: WA property
# group: errors
# en: Only the first sample was looked at: torch takes a tensor of one element for a number.
# zh: 只看了第一个样本：torch 会把只有一个元素的张量当作数。
@@
     first = samples[0]
-    if any(isinstance(each, Tensor) for each in samples):
+    if isinstance(first, Tensor):
         return collate_tensors(samples, *options)
