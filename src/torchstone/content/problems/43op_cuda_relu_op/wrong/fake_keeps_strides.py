# over: solution.py
# verdict: WA property
# group: meta
# en: The fake must promise the strides that the operator returns.
# zh: fake 承诺的 stride 必须与真实结果一致。
@@
-    return torch.empty_like(x, memory_format=torch.contiguous_format)
+    return torch.empty_like(x)
