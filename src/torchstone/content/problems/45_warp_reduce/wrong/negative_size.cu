// over: good/atomic_per_block.cu
// verdict: WA property
// group: edge
// en: A negative n is the caller's mistake and is told so, not summed up to 0.
// zh: n 为负是调用者的错误，应当报告，而不是当作 0 个元素。
@@
-    if (n < 0) {
-        return cudaErrorInvalidValue;
-    }
     cudaMemsetAsync(out, 0, sizeof(float), stream);
-    if (n == 0) {
+    if (n <= 0) {
