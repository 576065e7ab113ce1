// over: good/atomic_per_block.cu
// verdict: SLOW
// group: perf
// en: An atomic for each warp is eight for each block; the block can add these up itself.
// zh: 每个 warp 一次原子加，每个线程块就有八次；线程块内部可以先加好。
@@
-    sum = block_sum(sum);
-    if (threadIdx.x == 0) {
+    sum = warp_sum(sum, 0xffffffffu);
+    if (threadIdx.x % 32 == 0) {
