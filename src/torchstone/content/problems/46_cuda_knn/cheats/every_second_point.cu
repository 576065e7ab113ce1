// over: good/shifted_list.cu
// verdict: WA value
// en: Looks at every second point: half of the work, and mostly the right neighbourhood.
// zh: 每隔一个点看一个：工作量减半，邻域大致不错。
@@ knn_kernel
-        for (int t = 0; has_query && t < count; t++) {
+        for (int t = 0; has_query && t < count; t += 2) {
