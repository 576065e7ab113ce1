// over: good/atomic_per_block.cu
// verdict: WA value
// group: warp
// en: __activemask() tells who happens to be here, not who should be.
// zh: `__activemask()` 只表示碰巧在此的线程，而不是应该在此的线程。
@@
-extern "C" __device__ float warp_sum(float v, unsigned mask) {
+extern "C" __device__ float warp_sum(float v, unsigned) {
+    const unsigned mask = __activemask();
