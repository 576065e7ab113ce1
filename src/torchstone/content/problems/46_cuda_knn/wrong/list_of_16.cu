// over: good/shifted_list.cu
// verdict: WA value
// group: small
// en: K goes up to 32: a list for sixteen leaves the rest empty.
// zh: K 最大为 32：只有 16 格的列表会把其余位置空着。
@@
 constexpr int most_neighbours = 32;
+constexpr int list_size = 16;
@@ knn_kernel
-    float best[most_neighbours];
-    int best_idx[most_neighbours];
-    for (int k = 0; k < K; k++) {
+    float best[list_size];
+    int best_idx[list_size];
+    const int kept = min(K, list_size);
+    for (int k = 0; k < kept; k++) {
@@ knn_kernel
-            if (d < best[K - 1]) {
-                int k = K - 1;
+            if (d < best[kept - 1]) {
+                int k = kept - 1;
@@ knn_kernel
-            dist[(b * M + m) * K + k] = best[k];
-            idx[(b * M + m) * K + k] = best_idx[k];
+            dist[(b * M + m) * K + k] = k < kept ? best[k] : CUDART_INF_F;
+            idx[(b * M + m) * K + k] = k < kept ? best_idx[k] : -1;
