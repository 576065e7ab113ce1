# over: good/padded_columns.py
# verdict: WA grad
# group: small
# en: The view is taken of x.data, outside the graph; a view must stay in it.
# zh: 视图取自 x.data，脱离了计算图；视图也要留在图里。
@@ def broadcast_to
-    return x.as_strided(sizes, strides, x.storage_offset())
+    return x.data.as_strided(sizes, strides, x.storage_offset())
