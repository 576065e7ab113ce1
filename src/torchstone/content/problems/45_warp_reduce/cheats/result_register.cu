// over: good/atomic_per_block.cu
// verdict: CE
// en: Declares the place where the simulator leaves a result, to write the sum there.
// zh: 声明模拟器存放结果的变量，想把和直接写进去。
@@
+extern "C" thread_local unsigned long long cusim_result;
+
 extern "C" __device__ float warp_sum(float v, unsigned mask) {
-    const int lane = rank_in_block() % 32, count = __popc(mask);
     for (int offset = 16; offset > 0; offset /= 2) {
-        const float other = __shfl_down_sync(mask, v, offset);
-        if (lane + offset < count) {
-            v += other;
-        }
+        v += __shfl_down_sync(mask, v, offset);
     }
+    cusim_result = 0;
