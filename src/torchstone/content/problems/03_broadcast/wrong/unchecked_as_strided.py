# over: good/padded_columns.py
# verdict: WA property
# group: errors
# en: as_strided checks nothing but the bound of the storage; with sizes that do not fit you read
#   foreign numbers.
# zh: as_strided 除了存储边界几乎什么都不检查，形状不合就会读到别处的数据。
@@ def broadcast_to
-    if any(n < 0 or old not in (1, n) for n, old in zip(sizes, old_sizes, strict=True)):
-        raise ValueError(f"{tuple(x.shape)} does not broadcast to {tuple(shape)}")
@@ def broadcast_to
-        step if old == n else 0 for n, old, step in zip(sizes, old_sizes, old_strides, strict=True)
+        0 if old == 1 else step for n, old, step in zip(sizes, old_sizes, old_strides, strict=True)
