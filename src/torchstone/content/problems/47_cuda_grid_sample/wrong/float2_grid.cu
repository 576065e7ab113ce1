// over: good/blocks_of_two_dimensions.cu
// verdict: RTE
// group: layout
// en: A float2 wants an address that is a multiple of 8; a float pointer promises 4.
// zh: float2 要求地址是 8 的倍数；float 指针只保证 4 字节对齐。
@@
-    const int across = blockIdx.x * blockDim.x + threadIdx.x;
-    const int down = blockIdx.y * blockDim.y + threadIdx.y;
+    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
     const long long image = 1LL * s.H * s.W, view = 1LL * s.Ho * s.Wo;
-    if (across >= s.Wo || down >= s.Ho) {
+    if (i >= s.N * view) {
         return;
     }
-    const long long i = blockIdx.z * view + 1LL * down * s.Wo + across;
     float slope_x, slope_y;
-    const float x = locate(grid[2 * i], s.W, s, &slope_x);
-    const float y = locate(grid[2 * i + 1], s.H, s, &slope_y);
+    const float2 place = reinterpret_cast<const float2*>(grid)[i];
+    const float x = locate(place.x, s.W, s, &slope_x);
+    const float y = locate(place.y, s.H, s, &slope_y);
@@
-    const int across = blockIdx.x * blockDim.x + threadIdx.x;
-    const int down = blockIdx.y * blockDim.y + threadIdx.y;
+    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
     const long long image = 1LL * s.H * s.W, view = 1LL * s.Ho * s.Wo;
-    if (across >= s.Wo || down >= s.Ho) {
+    if (i >= s.N * view) {
         return;
     }
-    const long long i = blockIdx.z * view + 1LL * down * s.Wo + across;
     float slope_x, slope_y, grad_x = 0.0f, grad_y = 0.0f;
-    const float x = locate(grid[2 * i], s.W, s, &slope_x);
-    const float y = locate(grid[2 * i + 1], s.H, s, &slope_y);
+    const float2 place = reinterpret_cast<const float2*>(grid)[i];
+    const float x = locate(place.x, s.W, s, &slope_x);
+    const float y = locate(place.y, s.H, s, &slope_y);
@@
-static dim3 num_blocks_for(const Shape& s) {
-    return dim3((s.Wo + 31) / 32, (s.Ho + 7) / 8, s.N);
+static unsigned num_blocks_for(long long num_threads) {
+    return static_cast<unsigned>((num_threads + 255) / 256);
@@
-    forward_kernel<<<num_blocks_for(s), dim3(32, 8), 0, stream>>>(input, grid, out, s);
+    forward_kernel<<<num_blocks_for(num_samples), 256, 0, stream>>>(input, grid, out, s);
@@
-        backward_kernel<<<num_blocks_for(s), dim3(32, 8), 0, stream>>>(
+        backward_kernel<<<num_blocks_for(num_samples), 256, 0, stream>>>(
