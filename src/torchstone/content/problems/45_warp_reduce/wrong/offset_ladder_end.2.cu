// over: good/double_partials.cu
// verdict: WA value
// group: sample
// en: 32 lanes need the offsets 16, 8, 4, 2, 1; without the last the odd lanes are missing.
// zh: 32 个 lane 需要 16、8、4、2、1；少了最后一步，奇数 lane 就加不进来。
@@ The sums of warps are added by one thread.
 extern "C" __device__ float warp_sum(float v, unsigned mask) {
     const int lane = rank_in_block() % 32, count = __popc(mask);
-    for (int offset = 16; offset > 0; offset /= 2) {
+    for (int offset = 16; offset > 1; offset /= 2) {
@@
 static __device__ T sum_in_warp(T v, unsigned mask) {
     const int lane = rank_in_block() % 32, count = __popc(mask);
-    for (int offset = 16; offset > 0; offset /= 2) {
+    for (int offset = 16; offset > 1; offset /= 2) {
