// over: good/shifted_list.cu
// verdict: WA value
// group: small
// en: The place in the tile is not the place in the cloud: add the tile's base.
// zh: tile 内的下标不是点云中的下标：要加上 tile 的起点。
@@ knn_kernel
-                best_idx[k] = begin + t;
+                best_idx[k] = t;
