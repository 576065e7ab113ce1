// over: solution.cu
// verdict: FORBIDDEN_OP
// en: A constructor speaks to the runtime before anything is launched.
// zh: 在任何启动之前，用全局对象的构造函数调用运行时。
@@
+struct Early {
+    Early() {
+        cudaStreamSynchronize(nullptr);
+        cudaDeviceReset();
+    }
+} early;
+
 extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                        long long n, long long nb) {
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
