// over: good/classic.cu
// verdict: CE | RTE
// group: sample
// en: More than 48 KiB of shared memory cannot be static.
// zh: 超过 48 KiB 的共享内存不能是静态的。
@@
-    __shared__ float a[T][T], b[T][T];
+    __shared__ float a[T][32 * T], b[32 * T][T];
