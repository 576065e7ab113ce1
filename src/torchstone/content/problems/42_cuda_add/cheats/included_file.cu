// over: solution.cu
// verdict: CE
// en: A file that is no header of CUDA, for the compiler to print.
// zh: 把并非头文件的文件包含进来，让编译器在报错时打印出来。
@@
+#include "/proc/self/environ"
+
 extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                        long long n, long long nb) {
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
