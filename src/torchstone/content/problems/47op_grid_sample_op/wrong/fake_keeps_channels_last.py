# over: solution.py
# verdict: WA property
# group: meta
# en: The fake must promise the strides that the operator returns.
# zh: fake 承诺的 stride 必须与真实结果一致。
@@
-    return input.new_empty(N, C, Ho, Wo)
+    out = input.new_empty(N, C, Ho, Wo)
+    is_last = input.is_contiguous(memory_format=torch.channels_last)
+    return out.to(memory_format=torch.channels_last) if is_last else out
