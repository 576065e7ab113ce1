# over: good/padded_columns.py
# verdict: FORBIDDEN_OP
# en: The rule is taken from torch.broadcast_shapes, which dispatches no operator at all.
# zh: 规则直接取自 torch.broadcast_shapes，它不调用任何算子。
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
+    return tuple(torch.broadcast_shapes(*shapes))
