// over: good/shifted_list.cu
// verdict: WA value
// en: Stops once the list is full and distances only grow: right where the points come sorted.
// zh: 列表一满、距离又开始变大就停下：只有点恰好排好序时才对。
@@ knn_kernel
+    float before = 0.0f;
+    bool is_done = false;
     for (int begin = 0; begin < num_points; begin += num_threads) {
@@ knn_kernel
-        for (int t = 0; has_query && t < count; t++) {
+        for (int t = 0; has_query && !is_done && t < count; t++) {
@@ knn_kernel
             const float d = dx * dx + dy * dy + dz * dz;
+            is_done = best_idx[K - 1] >= 0 && d > before && d > best[K - 1];
+            before = d;
