// over: good/blocks_of_two_dimensions.cu
// verdict: RTE
// group: empty
// en: A grid of zero blocks is an invalid configuration: return before the launch.
// zh: 0 个线程块的网格是非法配置：没有采样点时应在启动之前返回。
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
-    if (num_samples == 0 || C == 0) {
+    if (C == 0) {
         return cudaSuccess;
     }
-    forward_kernel<<<num_blocks_for(s), dim3(32, 8), 0, stream>>>(input, grid, out, s);
+    forward_kernel<<<num_blocks_for(num_samples), 256, 0, stream>>>(input, grid, out, s);
@@
-    if (num_samples > 0 && C > 0) {
-        backward_kernel<<<num_blocks_for(s), dim3(32, 8), 0, stream>>>(
+    if (C > 0) {
+        backward_kernel<<<num_blocks_for(num_samples), 256, 0, stream>>>(
