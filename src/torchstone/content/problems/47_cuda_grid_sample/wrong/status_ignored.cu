// over: solution.cu
// verdict: WA property
// group: errors
// en: A launch returns nothing: whether it has failed, cudaGetLastError() tells, and nobody else.
// zh: 启动本身没有返回值：是否失败只有 `cudaGetLastError()` 知道，要把它的结果返回。
@@ In both entries.
     forward_kernel<<<num_blocks_for(shape), num_threads, 0, stream>>>(input, grid, out, shape);
-    return cudaGetLastError();
+    return cudaSuccess;
@@
         const size_t num_bytes = num_pixels * sizeof(float);
-        const cudaError_t error = cudaMemsetAsync(grad_input, 0, num_bytes, stream);
-        if (error != cudaSuccess) {
-            return error;
-        }
+        cudaMemsetAsync(grad_input, 0, num_bytes, stream);
@@
         grad_out, input, grid, grad_input, grad_grid, shape);
-    return cudaGetLastError();
+    return cudaSuccess;
