// over: good/block_per_column.cu
// verdict: WA value
// group: small
// en: The caller chose the grid; loop by gridDim * blockDim.
// zh: 网格由调用者决定，要用 grid-stride 循环。
@@ The forward alone; the backward loops.
-    while (i < n) {
+    if (i < n) {
