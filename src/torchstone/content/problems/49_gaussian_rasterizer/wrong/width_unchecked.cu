// over: good/counting_rank.cu
// verdict: WA property | RTE
// group: bad
// en: Both sides of the image are checked, not one alone.
// zh: 图像的两条边都要检查，不能只看一条。
@@ In both entries.
-    if (N < 0 || W < 1 || H < 1) {
+    if (N < 0 || H < 1) {
         return cudaErrorInvalidValue;
     }
     if (N > 0) {
@@
-    if (N < 0 || W < 1 || H < 1) {
+    if (N < 0 || H < 1) {
         return cudaErrorInvalidValue;
     }
     if (N == 0) {
         return cudaSuccess;
     }
     const size_t size = N * sizeof(float);
