// over: good/shifted_list.cu
// verdict: WA value
// group: ragged
// en: Each cloud has its own length: that of entry b, not of the first.
// zh: 每个点云各有长度：要用第 b 个，而不是第一个。
@@ knn_kernel
-    const int num_queries = query_len ? query_len[b] : M;
-    const int num_points = ref_len ? ref_len[b] : N;
+    const int num_queries = query_len ? query_len[0] : M;
+    const int num_points = ref_len ? ref_len[0] : N;
