# over: solution.py
# verdict: WA dtype
# group: mixed
# en: The dtype is that of the first sample: a float after an int is truncated. Promote over the
#   batch.
# zh: 类型取自第一个样本：整数之后的小数会被截断。要在整批上提升类型。
@@
-    for each in samples:
-        dtype = torch.promote_types(dtype, each.dtype)
