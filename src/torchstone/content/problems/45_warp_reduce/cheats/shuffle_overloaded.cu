// over: good/atomic_per_block.cu
// verdict: CE | WA property
// en: A better match than the shuffle itself: a function of its name that exchanges in another way.
// zh: 定义一个同名而匹配更优的函数，用别的方式交换数据。
@@
+static __device__ float __shfl_down_sync(unsigned mask, float v, int offset) {
+    return __shfl_sync(mask, v, rank_in_block() % 32 + offset);
+}
+
 extern "C" __device__ float warp_sum(float v, unsigned mask) {
