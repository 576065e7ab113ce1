// over: good/counting_rank.cu
// verdict: WA property
// group: project
// en: A launch returns nothing: whether it has failed, cudaGetLastError() tells, and nobody else.
// zh: 启动本身没有返回值：是否失败只有 `cudaGetLastError()` 知道，要把它的结果返回。
@@ In all three entries.
                                                           cy, N, xy, depth, conic, radius);
-    return cudaGetLastError();
+    return cudaSuccess;
@@
                                                          order, N, W, H, image, final_T, n_last);
-    return cudaGetLastError();
+    return cudaSuccess;
@@
         grad_conic, grad_opacity, grad_color);
-    return cudaGetLastError();
+    return cudaSuccess;
