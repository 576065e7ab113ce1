# over: good/padded_columns.py
# verdict: WA property
# group: layout
# en: A slice starts inside its storage: keep storage_offset().
# zh: 切片不从存储起点开始，要保留 storage_offset()。
@@ def broadcast_to
-    return x.as_strided(sizes, strides, x.storage_offset())
+    return x.as_strided(sizes, strides, 0)
