// over: good/shifted_list.cu
// verdict: WA value
// group: ragged
// en: A query that does not exist still has a row, and somebody must fill it.
// zh: 不存在的查询点在输出中仍占一行，必须有人去填。
@@ knn_kernel
-    if (m < M) {
+    if (has_query) {
