// over: good/shifted_list.cu
// verdict: SLOW
// en: Reads a little shared memory for show, and every point from global memory all the same.
// zh: 做样子读一点共享内存，每个点照旧从全局内存读取。
@@
-// A query each; as many points to a tile.
+// A query each.
@@ knn_kernel
-    __shared__ float3 tile[num_threads];
@@ knn_kernel
-    for (int begin = 0; begin < num_points; begin += num_threads) {
-        const int i = begin + threadIdx.x;
-        if (i < num_points) {
-            const float* const r = ref + (b * N + i) * 3;
-            tile[threadIdx.x] = make_float3(r[0], r[1], r[2]);
-        }
-        __syncthreads();
-        const int count = min(num_threads, num_points - begin);
-        for (int t = 0; has_query && t < count; t++) {
-            const float dx = x - tile[t].x, dy = y - tile[t].y, dz = z - tile[t].z;
-            const float d = dx * dx + dy * dy + dz * dz;
-            if (d < best[K - 1]) {
-                int k = K - 1;
-                for (; k > 0 && best[k - 1] > d; k--) {
-                    best[k] = best[k - 1];
-                    best_idx[k] = best_idx[k - 1];
-                }
-                best[k] = d;
-                best_idx[k] = begin + t;
+    // Something shared, for whoever counts.
+    __shared__ int shown[num_threads];
+    shown[threadIdx.x] = num_points;
+    __syncthreads();
+    for (int i = 0; has_query && i < shown[threadIdx.x ^ 1]; i++) {
+        const float* const r = ref + (b * N + i) * 3;
+        const float dx = x - r[0], dy = y - r[1], dz = z - r[2];
+        const float d = dx * dx + dy * dy + dz * dz;
+        if (d < best[K - 1]) {
+            int k = K - 1;
+            for (; k > 0 && best[k - 1] > d; k--) {
+                best[k] = best[k - 1];
+                best_idx[k] = best_idx[k - 1];
             }
+            best[k] = d;
+            best_idx[k] = i;
         }
-        __syncthreads();
