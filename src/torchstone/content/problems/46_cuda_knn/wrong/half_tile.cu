// over: good/shifted_list.cu
// verdict: WA value
// group: scale
// en: Half precision has eleven bits: a point loses its place before anything is subtracted.
// zh: 半精度只有 11 位有效数字：还没作差，点的位置就已经不准了。
@@
+#include <cuda_fp16.h>
 #include <cuda_runtime.h>
@@ knn_kernel
-    __shared__ float3 tile[num_threads];
+    __shared__ __half tile[num_threads][3];
@@ knn_kernel
-            tile[threadIdx.x] = make_float3(r[0], r[1], r[2]);
+            for (int c = 0; c < 3; c++) {
+                tile[threadIdx.x][c] = __float2half(r[c]);
+            }
@@ knn_kernel
-            const float dx = x - tile[t].x, dy = y - tile[t].y, dz = z - tile[t].z;
+            const float dx = x - __half2float(tile[t][0]);
+            const float dy = y - __half2float(tile[t][1]);
+            const float dz = z - __half2float(tile[t][2]);
