# over: solution.py
# verdict: WA property | RTE
# group: nested
# en: A 0-d tensor has no length: it is stacked, not padded.
# zh: 0 维张量没有长度：应当直接 stack，而不是填充。
@@
-    if first.ndim == 0:
-        return torch.stack(samples)
+    samples = [each.reshape(1) if each.ndim == 0 else each for each in samples]
+    first = samples[0]
