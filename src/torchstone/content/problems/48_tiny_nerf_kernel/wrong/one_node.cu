// over: good/ray_per_thread.cu
// verdict: OOB | WA property
// group: bad
// en: A single node makes no cell: G has to be at least 2, not at least 1.
// zh: 只有一个格点就没有格子：G 至少是 2，不是 1。
@@ In both entries.
-    if (R < 0 || S < 0 || G < 2) {
+    if (R < 0 || S < 0 || G < 1) {
         return cudaErrorInvalidValue;
     }
     if (R == 0) {
@@
-    if (R < 0 || S < 0 || G < 2) {
+    if (R < 0 || S < 0 || G < 1) {
         return cudaErrorInvalidValue;
     }
     cudaMemsetAsync(grad_field, 0, 4 * sizeof(float) * G * G * G, stream);
