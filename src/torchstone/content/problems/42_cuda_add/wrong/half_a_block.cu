// over: good/block_per_column.cu
// verdict: OOB | WA grad
// group: grad
// en: A block may have 1024 threads; an array with room for 512 ends too early.
// zh: 一个线程块最多有 1024 个线程；只给 512 个留位置的数组不够长。
@@
-    __shared__ double sums[1024];
+    __shared__ double sums[512];
@@
-        for (unsigned width = 512; width > 0; width /= 2) {
+        for (unsigned width = 256; width > 0; width /= 2) {
