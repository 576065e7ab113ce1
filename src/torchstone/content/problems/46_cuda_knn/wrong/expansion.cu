// over: good/shifted_list.cu
// verdict: WA value
// group: scale
// en: Two large equal numbers leave noise: subtract first, then square.
// zh: 两个相近的大数相减只剩噪声：应先作差，再平方。
@@ knn_kernel
-            const float dx = x - tile[t].x, dy = y - tile[t].y, dz = z - tile[t].z;
-            const float d = dx * dx + dy * dy + dz * dz;
+            const float3 r = tile[t];
+            const float dot = x * r.x + y * r.y + z * r.z;
+            const float d = (x * x + y * y + z * z) + (r.x * r.x + r.y * r.y + r.z * r.z) - 2 * dot;
