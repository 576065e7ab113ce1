// over: solution.cu
// verdict: WA property
// group: edge
// en: A launch returns nothing: whether it has failed, cudaGetLastError() tells, and nobody else.
// zh: 启动本身没有返回值：是否失败只有 `cudaGetLastError()` 知道，要把它的结果返回。
@@
-    return cudaGetLastError();
+    return cudaSuccess;
