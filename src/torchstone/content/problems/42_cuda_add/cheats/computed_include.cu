// over: solution.cu
// verdict: CE
// en: A file of the machine, its name made by a macro.
// zh: 用宏拼出文件名，借 `#include` 读取机器上的文件。
@@
+#define WANTED "/etc/passwd"
+#include WANTED
+
 extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                        long long n, long long nb) {
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
