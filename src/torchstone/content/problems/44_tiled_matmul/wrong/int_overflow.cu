// over: good/classic.cu
// verdict: OOB
// group: huge
// en: row * ld is a product of two ints, and wraps before anything wider receives it.
// zh: row * ld 是两个 int 相乘，在存进更宽的类型之前就已溢出。
@@
-static __global__ void matmul_kernel(const float* A, long long lda, const float* B, long long ldb,
-                                     float* C, long long ldc, int M, int N, int K) {
+static __global__ void matmul_kernel(const float* A, int lda, const float* B, int ldb, float* C,
+                                     int ldc, int M, int N, int K) {
