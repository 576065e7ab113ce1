// over: good/blocks_of_two_dimensions.cu
// verdict: WA grad
// group: empty
// en: Without samples grad_input is still zeros: clear it before the early return.
// zh: 没有采样点时 grad_input 仍应为零：先清零，再提前返回。
@@
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
-static dim3 num_blocks_for(const Shape& s) {
-    return dim3((s.Wo + 31) / 32, (s.Ho + 7) / 8, s.N);
+static unsigned num_blocks_for(long long num_threads) {
+    return static_cast<unsigned>((num_threads + 255) / 256);
@@
-    forward_kernel<<<num_blocks_for(s), dim3(32, 8), 0, stream>>>(input, grid, out, s);
+    forward_kernel<<<num_blocks_for(num_samples), 256, 0, stream>>>(input, grid, out, s);
@@
+    const long long num_samples = 1LL * N * Ho * Wo;
+    if (num_samples == 0 || C == 0) {
+        return cudaSuccess;
+    }
     const size_t num_pixels = size_t(N) * C * H * W;
@@
-    const long long num_samples = 1LL * N * Ho * Wo;
-    if (num_samples > 0 && C > 0) {
-        backward_kernel<<<num_blocks_for(s), dim3(32, 8), 0, stream>>>(
-            grad_out, input, grid, grad_input, grad_grid, s);
-    }
+    backward_kernel<<<num_blocks_for(num_samples), 256, 0, stream>>>(
+        grad_out, input, grid, grad_input, grad_grid, s);
