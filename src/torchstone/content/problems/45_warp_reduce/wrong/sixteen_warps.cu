// over: good/atomic_per_block.cu
// verdict: OOB
// group: block
// en: 1024 threads are 32 warps.
// zh: 1024 个线程是 32 个 warp。
@@
-    __shared__ float sums[32];
+    __shared__ float sums[16];
