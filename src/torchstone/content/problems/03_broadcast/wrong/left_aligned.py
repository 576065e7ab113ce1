# over: good/padded_columns.py
# verdict: RTE
# group: small
# en: Shapes are aligned at the last dimension; padding with ones belongs on the left.
# zh: 形状从最后一维开始对齐；补 1 要补在左边。
@@ def broadcast_shapes
-    padded = [(1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes]
+    padded = [tuple(shape) + (1,) * (ndim - len(shape)) for shape in shapes]
