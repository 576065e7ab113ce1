# over: solution.py
# verdict: WA dtype
# group: dtype
# en: The result has torch's default dtype; token ids must stay int64, and `new_full` keeps the
#   dtype.
# zh: 结果用了 torch 的默认类型；token id 必须保持 int64，new_full 会保留类型。
@@
-    dtype = first.dtype
-    for each in samples:
-        dtype = torch.promote_types(dtype, each.dtype)
+    dtype = torch.get_default_dtype()
