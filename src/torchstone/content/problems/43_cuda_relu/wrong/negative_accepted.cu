// over: solution.cu
// verdict: WA property
// group: edge
// en: A negative size is an error of the caller, and he must hear of it; only 0 is nothing to do.
// zh: 长度为负是调用者的错误，必须如实返回；只有 0 才表示无事可做。
@@
 extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
-    if (n < 0) {
-        return cudaErrorInvalidValue;
-    }
-    if (n == 0) {
+    if (n <= 0) {
         return cudaSuccess;
     }
     const long long phase = phase_of(x);
@@
                                      long long n, cudaStream_t stream) {
-    if (n < 0) {
-        return cudaErrorInvalidValue;
-    }
-    if (n == 0) {
+    if (n <= 0) {
         return cudaSuccess;
     }
     const long long phase = phase_of(y);
