// over: good/shifted_list.cu
// verdict: WA value
// en: Takes the queries for the points: the first neighbour of each is said to be itself.
// zh: 把查询当成参考点：认定每个查询的第一近邻就是自己。
@@ knn_kernel
-            dist[(b * M + m) * K + k] = best[k];
-            idx[(b * M + m) * K + k] = best_idx[k];
+            dist[(b * M + m) * K + k] = k == 0 ? 0.0f : best[k];
+            idx[(b * M + m) * K + k] = k == 0 ? m : best_idx[k];
