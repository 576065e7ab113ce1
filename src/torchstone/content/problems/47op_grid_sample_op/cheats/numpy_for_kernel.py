# over: solution.py
# verdict: WA property
# en: Samples with NumPy and never launches the forward kernel.
# zh: 用 NumPy 采样，从不启动前向核函数。
@@
 import kernel
+import numpy
@@
+def by_numpy(image, grid, padding_mode, align_corners):
+    N, C, H, W = image.shape
+    places = []
+    for axis, size in ((0, W), (1, H)):
+        span, low = (size - 1, 0.0) if align_corners else (size, -0.5)
+        place = (grid[..., axis].astype(numpy.float64) + 1) / 2 * span + low
+        if padding_mode == 2 and span:
+            place = span - numpy.abs(numpy.abs(place - low) % (2 * span) - span) + low
+        places.append(place.clip(0, size - 1) if padding_mode else place)
+    x, y = places
+    total = numpy.zeros((N, *x.shape[1:], C))
+    for right in (0, 1):
+        for lower in (0, 1):
+            column, row = numpy.floor(x) + right, numpy.floor(y) + lower
+            inside = (column >= 0) & (column < W) & (row >= 0) & (row < H)
+            weight = (1 - numpy.abs(x - column)) * (1 - numpy.abs(y - row)) * inside
+            at = row.clip(0, H - 1).astype(int), column.clip(0, W - 1).astype(int)
+            batch = numpy.arange(N).reshape(-1, 1, 1)
+            total += weight[..., None] * image[batch, :, at[0], at[1]]
+    return numpy.moveaxis(total, -1, 1).astype(numpy.float32).copy()
+
+
 def run(entry, *args) -> None:
@@
-    run(kernel.grid_sample_forward, input, grid, out, *sizes, padding_mode, align_corners)
+    out.copy_(torch.from_numpy(by_numpy(input.numpy(), grid.numpy(), padding_mode, align_corners)))
