# over: good/padded_columns.py
# verdict: WA property
# group: edge
# en: -1 keeps the old size; a new dimension has none, so there it must raise.
# zh: −1 表示保持原大小；新维度没有原大小，此时必须报错。
@@ def broadcast_to
-    sizes = [n if n != -1 or i < num_new else x.shape[i - num_new] for i, n in enumerate(shape)]
     old_sizes = [1] * num_new + list(x.shape)
+    sizes = [old if n == -1 else n for n, old in zip(shape, old_sizes, strict=True)]
