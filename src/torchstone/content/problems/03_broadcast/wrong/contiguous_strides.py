# over: good/padded_columns.py
# verdict: RTE | WA property
# group: layout
# en: The strides are computed from the shape. Ask the tensor: a transposed input has other strides.
# zh: 步长是按形状算出来的。要问张量本身：转置后的步长就不一样。
@@ def broadcast_to
-    old_strides = [0] * num_new + list(x.stride())
+    old_strides, step = [], 1
+    for old in reversed(old_sizes):
+        old_strides.insert(0, step)
+        step *= old
