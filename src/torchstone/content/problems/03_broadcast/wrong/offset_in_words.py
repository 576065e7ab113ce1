# over: good/padded_columns.py
# verdict: RTE | WA value | WA property
# group: layout
# en: storage_offset counts elements of the dtype, not words of four bytes.
# zh: storage_offset 以该 dtype 的元素为单位，而不是以 4 字节为单位。
@@ def broadcast_to
-    return x.as_strided(sizes, strides, x.storage_offset())
+    start = (x.data_ptr() - x.untyped_storage().data_ptr()) // 4
+    return x.as_strided(sizes, strides, start)
