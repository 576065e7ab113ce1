// over: good/shifted_list.cu
// verdict: UNINIT
// group: small
// en: The last tile is shorter: behind its end nobody has written anything.
// zh: 最后一个 tile 不满：它的末尾之后没有人写过。
@@ knn_kernel
-        const int count = min(num_threads, num_points - begin);
-        for (int t = 0; has_query && t < count; t++) {
+        for (int t = 0; has_query && t < num_threads; t++) {
