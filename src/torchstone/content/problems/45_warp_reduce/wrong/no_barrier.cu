// over: good/atomic_per_block.cu
// verdict: RACE
// group: block
// en: Warps meet only at a barrier: before it nobody knows which partial sums are there.
// zh: warp 之间只有屏障能同步：没有屏障，就不知道哪些部分和已经写好。
@@
-    __syncthreads();
     if (warp == 0) {
