// over: good/shifted_list.cu
// verdict: WA value
// group: ragged
// en: Each cloud has its own length; what lies behind it does not exist.
// zh: 每个点云各有长度，长度之后的内容不存在。
@@ knn_kernel
-    const int num_queries = query_len ? query_len[b] : M;
-    const int num_points = ref_len ? ref_len[b] : N;
+    const int num_queries = M;
+    const int num_points = N;
