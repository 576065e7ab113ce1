// over: good/atomic_per_block.cu
// verdict: RACE | HUNG
// group: block
// en: The linear index needs y and z: threadIdx.x alone names many threads.
// zh: 线性下标要含 y、z：只看 `threadIdx.x`，许多线程会撞在一起。
@@
-static __device__ unsigned rank_in_block() {
-    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
-}
-static __device__ unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
+static __device__ unsigned rank_in_block() { return threadIdx.x; }
+static __device__ unsigned block_size() { return blockDim.x; }
