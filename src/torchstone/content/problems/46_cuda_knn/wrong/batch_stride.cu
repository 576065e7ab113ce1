// over: good/shifted_list.cu
// verdict: WA value
// group: small
// en: ref[b] starts at point b * N: a cloud has N points, not M.
// zh: ref[b] 从第 b * N 个点开始：一个点云有 N 个点，不是 M 个。
@@ knn_kernel
-            const float* const r = ref + (b * N + i) * 3;
+            const float* const r = ref + (b * M + i) * 3;
