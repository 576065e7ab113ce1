// over: good/classic.cu
// verdict: WA value
// group: scale
// en: Half saves shared memory and keeps eleven bits of each number, and no more than 65504.
// zh: 用 half 省了共享内存，但每个数只剩 11 位精度，最大只到 65504。
@@
+#include <cuda_fp16.h>
 #include <cuda_runtime.h>
@@
-    __shared__ float a[T][T], b[T][T];
+    __shared__ __half a[T][T], b[T][T];
@@
-        a[y][x] = row < M && k + x < K ? A[row * lda + k + x] : 0.0f;
-        b[y][x] = k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f;
+        a[y][x] = __float2half(row < M && k + x < K ? A[row * lda + k + x] : 0.0f);
+        b[y][x] = __float2half(k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f);
         __syncthreads();
         for (int i = 0; i < T; i++) {
-            sum += a[y][i] * b[i][x];
+            sum += __half2float(a[y][i]) * __half2float(b[i][x]);
