# over: good/padded_columns.py
# verdict: WA property
# group: small
# en: The data is copied by indexing. Broadcasting repeats a pointer step of 0, not the data.
# zh: 用索引把数据复制了一遍；广播是步长为 0 的视图，不复制数据。
@@ def broadcast_to
-    old_strides = [0] * num_new + list(x.stride())
-    strides = [
-        step if old == n else 0 for n, old, step in zip(sizes, old_sizes, old_strides, strict=True)
-    ]
-    return x.as_strided(sizes, strides, x.storage_offset())
+    x = x.reshape(old_sizes)
+    for dim, (n, old) in enumerate(zip(sizes, old_sizes, strict=True)):
+        if n != old:
+            x = x.index_select(dim, torch.zeros(n, dtype=torch.int64))
+    return x
