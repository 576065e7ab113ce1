// over: good/atomic_per_block.cu
// verdict: CE
// en: A barrier is left out, and functions of its own stand in for the detector's.
// zh: 省掉一次屏障，同时自己定义检测器的钩子函数，让检测器失声。
@@
+extern "C" void __tsan_read4(void*) {}
+extern "C" void __tsan_write4(void*) {}
+
 extern "C" __device__ float warp_sum(float v, unsigned mask) {
@@
-    __syncthreads();
     if (warp == 0) {
