# over: good/padded_columns.py
# verdict: WA property
# en: An addition broadcasts and copies; the values are right, the memory is not.
# zh: 用加法来广播并复制：数值都对，内存不对。
@@ def broadcast_to
-def broadcast_to(x: torch.Tensor, shape):
+def broadcast_to(x, shape):
@@ def broadcast_to
-    if num_new < 0:
-        raise ValueError("dimensions cannot be dropped")
-    sizes = [n if n != -1 or i < num_new else x.shape[i - num_new] for i, n in enumerate(shape)]
-    old_sizes = [1] * num_new + list(x.shape)
-    if any(n < 0 or old not in (1, n) for n, old in zip(sizes, old_sizes, strict=True)):
-        raise ValueError(f"{tuple(x.shape)} does not broadcast to {tuple(shape)}")
-    old_strides = [0] * num_new + list(x.stride())
-    strides = [
-        step if old == n else 0 for n, old, step in zip(sizes, old_sizes, old_strides, strict=True)
-    ]
-    return x.as_strided(sizes, strides, x.storage_offset())
+    sizes = [x.shape[i - num_new] if n == -1 and i >= num_new else n for i, n in enumerate(shape)]
+    if broadcast_shapes(x.shape, sizes) != tuple(sizes):
+        raise ValueError("the shapes do not fit")
+    return torch.where(torch.ones(sizes, dtype=torch.bool), x, x)
