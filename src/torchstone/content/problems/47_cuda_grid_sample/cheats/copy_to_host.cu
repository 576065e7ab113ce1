// over: solution.cu
// verdict: FORBIDDEN_OP
// en: Fetches the grid to the host, which finds the corners there.
// zh: 把 grid 取回主机，在主机上算角点。
@@
+float host_grid[1 << 20];
+
 bool is_valid(const Shape& shape) {
@@
-    forward_kernel<<<num_blocks_for(shape), num_threads, 0, stream>>>(input, grid, out, shape);
+    cudaMemcpyAsync(host_grid, grid, 2 * shape.num_samples() * sizeof(float),
+                    cudaMemcpyDeviceToHost, stream);
+    forward_kernel<<<num_blocks_for(shape), num_threads, 0, stream>>>(input, grid, out, shape);
