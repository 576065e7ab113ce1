// over: good/shifted_list.cu
// verdict: WA value
// group: ties
// en: A later point that is only as near must not push out an earlier one.
// zh: 后来的点若只是同样近，不能挤掉先到的点。
@@ knn_kernel
-            if (d < best[K - 1]) {
+            if (d <= best[K - 1]) {
