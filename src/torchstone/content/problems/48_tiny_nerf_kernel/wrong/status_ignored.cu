// over: good/ray_per_thread.cu
// verdict: WA property
// group: bad
// en: A launch returns nothing: whether it has failed, cudaGetLastError() tells, and nobody else.
// zh: 启动本身没有返回值：是否失败只有 `cudaGetLastError()` 知道，要把它的结果返回。
@@
     forward_kernel<<<num_blocks, num_threads, 0, stream>>>(scene, rgb, depth, opacity, steps);
-    return cudaGetLastError();
+    return cudaSuccess;
@@
     backward_kernel<<<num_blocks, num_threads, 0, stream>>>(scene, given, grad_field);
-    return cudaGetLastError();
+    return cudaSuccess;
