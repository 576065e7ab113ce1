// over: good/shifted_list.cu
// verdict: WA value
// en: An approximate grid: a point in another cell than the query is not looked at.
// zh: 近似的网格法：与查询不在同一格的点一概不看。
@@ knn_kernel
         for (int t = 0; has_query && t < count; t++) {
+            if (floorf(x / 500.0f) != floorf(tile[t].x / 500.0f)) {
+                continue;
+            }
