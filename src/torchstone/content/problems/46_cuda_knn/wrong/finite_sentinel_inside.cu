// over: good/shifted_list.cu
// verdict: WA value
// group: scale
// en: A sentinel must beat every distance: 1e10 is small for a large cloud.
// zh: 哨兵值必须大于一切距离：点云尺度大时，1e10 并不算大。
@@ knn_kernel
-        best[k] = CUDART_INF_F;
+        best[k] = 1e10f;
@@ knn_kernel
-            dist[(b * M + m) * K + k] = best[k];
+            dist[(b * M + m) * K + k] = best_idx[k] < 0 ? CUDART_INF_F : best[k];
