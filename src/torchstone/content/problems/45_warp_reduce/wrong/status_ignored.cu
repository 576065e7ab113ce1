// over: good/atomic_per_block.cu
// verdict: WA property
// group: edge
// en: A launch returns nothing: whether it has failed, cudaGetLastError() tells, and nobody else.
// zh: 启动本身没有返回值：是否失败只有 `cudaGetLastError()` 知道，要把它的结果返回。
@@
     sum_by_block<<<grid, 256, 0, stream>>>(x, n, out);
-    return cudaGetLastError();
+    return cudaSuccess;
