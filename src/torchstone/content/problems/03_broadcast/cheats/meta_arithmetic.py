# over: good/padded_columns.py
# verdict: FORBIDDEN_OP
# en: An addition on the meta device works out the shape, at no cost and without a thought.
# zh: 用 meta 设备上的加法算出形状，不花内存，也不动脑筋。
@@ def broadcast_shapes
-    ndim = max(map(len, shapes), default=0)
-    padded = [(1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes]
-    return tuple(common_size(column) for column in zip(*padded, strict=True))
-
-
-def common_size(column):
-    result = 1
-    for size in column:
-        if size < 0 or (size != 1 and result not in (1, size)):
-            raise ValueError(f"sizes {column} do not broadcast")
-        result = size if result == 1 else result
-    return result
+    total = torch.empty((), device="meta")
+    for shape in shapes:
+        total = total + torch.empty(tuple(shape), device="meta")
+    return tuple(total.shape)
