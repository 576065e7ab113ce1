// over: good/blocks_of_two_dimensions.cu
// verdict: WA grad
// en: Takes differences of the forward in place of a derivative.
// zh: 用前向的差分冒充导数。
@@
+// The value at a place of the grid.
+__device__ static float sample(const float* plane, float gx, float gy, const Shape& s) {
+    float slope;
+    const float x = locate(gx, s.W, s, &slope), y = locate(gy, s.H, s, &slope);
+    const int left = static_cast<int>(floorf(x)), top = static_cast<int>(floorf(y));
+    float sum = 0.0f;
+    for (int k = 0; k < 4; k++) {
+        const int row = top + k / 2, column = left + k % 2;
+        if (is_inside(row, column, s)) {
+            const float weight = (1.0f - fabsf(x - column)) * (1.0f - fabsf(y - row));
+            sum += weight * plane[row * s.W + column];
+        }
+    }
+    return sum;
+}
+
 __global__ void forward_kernel(const float* input, const float* grid, float* out, Shape s) {
-    const int across = blockIdx.x * blockDim.x + threadIdx.x;
-    const int down = blockIdx.y * blockDim.y + threadIdx.y;
+    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
     const long long image = 1LL * s.H * s.W, view = 1LL * s.Ho * s.Wo;
-    if (across >= s.Wo || down >= s.Ho) {
+    if (i >= s.N * view) {
         return;
     }
-    const long long i = blockIdx.z * view + 1LL * down * s.Wo + across;
@@
                                 float* grad_input, float* grad_grid, Shape s) {
-    const int across = blockIdx.x * blockDim.x + threadIdx.x;
-    const int down = blockIdx.y * blockDim.y + threadIdx.y;
+    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
     const long long image = 1LL * s.H * s.W, view = 1LL * s.Ho * s.Wo;
-    if (across >= s.Wo || down >= s.Ho) {
+    if (i >= s.N * view) {
         return;
     }
-    const long long i = blockIdx.z * view + 1LL * down * s.Wo + across;
@@
-            grad_x += (column > x ? slope_x : -slope_x) * along_y * input[pixel] * g;
-            grad_y += (row > y ? slope_y : -slope_y) * along_x * input[pixel] * g;
         }
+        const float step = 1e-3f, gx = grid[2 * i], gy = grid[2 * i + 1];
+        const float* const image_of_c = input + plane * image;
+        const float by_x = sample(image_of_c, gx + step, gy, s) -
+                           sample(image_of_c, gx - step, gy, s);
+        const float by_y = sample(image_of_c, gx, gy + step, s) -
+                           sample(image_of_c, gx, gy - step, s);
+        grad_x += by_x / (2.0f * step) * g;
+        grad_y += by_y / (2.0f * step) * g;
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
