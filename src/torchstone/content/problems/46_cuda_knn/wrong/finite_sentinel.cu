// over: good/shifted_list.cu
// verdict: WA value
// group: edge
// en: Where there is no point the distance is infinite, not a number that looks large.
// zh: 没有点的位置，距离应为无穷大，而不是一个看起来很大的数。
@@ knn_kernel
-        best[k] = CUDART_INF_F;
+        best[k] = 1e10f;
