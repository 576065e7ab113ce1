// over: good/classic.cu
// verdict: RTE
// group: layout
// en: A float4 wants an address of 16 bytes: the pointer and the row stride decide, not K.
// zh: float4 要求 16 字节对齐的地址：取决于指针与行跨度，而不是 K。
@@
+// A tile of 16 by 16 floats by float4, four to a row; the other threads of the block wait.
+static __device__ void load_by_four(float (*tile)[T], const float* from, long long ld, int row,
+                                    int column, int num_rows, int num_columns) {
+    const int number = threadIdx.y * T + threadIdx.x, y = number / 4, x = number % 4 * 4;
+    if (number < T * T / 4) {
+        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
+        if (row + y < num_rows && column + x < num_columns) {
+            v = *reinterpret_cast<const float4*>(from + (row + y) * ld + column + x);
+        }
+        tile[y][x] = v.x;
+        tile[y][x + 1] = v.y;
+        tile[y][x + 2] = v.z;
+        tile[y][x + 3] = v.w;
+    }
+}
+
 static __global__ void matmul_kernel(const float* A, long long lda, const float* B, long long ldb,
@@
-        a[y][x] = row < M && k + x < K ? A[row * lda + k + x] : 0.0f;
-        b[y][x] = k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f;
+        if (K % 4 == 0) {
+            load_by_four(a, A, lda, blockIdx.x * T, k, M, K);
+        } else {
+            a[y][x] = row < M && k + x < K ? A[row * lda + k + x] : 0.0f;
+        }
+        if (N % 4 == 0) {
+            load_by_four(b, B, ldb, k, blockIdx.y * T, K, N);
+        } else {
+            b[y][x] = k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f;
+        }
