// over: solution.cu
// verdict: WA property
// group: edge
// en: A block with nothing to do harms nobody, but where n is 0 nothing is launched.
// zh: 没有活干的线程块虽然无害，但 n 为 0 时不应启动任何核函数。
@@
-    return static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks);
+    return static_cast<unsigned>(blocks < 1 ? 1 : blocks < most_blocks ? blocks : most_blocks);
@@
 extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
     if (n < 0) {
         return cudaErrorInvalidValue;
     }
-    if (n == 0) {
-        return cudaSuccess;
-    }
     const long long phase = phase_of(x);
@@
                                      long long n, cudaStream_t stream) {
     if (n < 0) {
         return cudaErrorInvalidValue;
     }
-    if (n == 0) {
-        return cudaSuccess;
-    }
     const long long phase = phase_of(y);
