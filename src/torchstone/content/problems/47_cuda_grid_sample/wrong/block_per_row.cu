// over: good/blocks_of_two_dimensions.cu
// verdict: RTE
// group: wide
// en: A block has at most 1024 threads, and a row may have more columns.
// zh: 一个线程块至多 1024 个线程，而一行可以有更多列。
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
-}
-
@@
-    forward_kernel<<<num_blocks_for(s), dim3(32, 8), 0, stream>>>(input, grid, out, s);
+    forward_kernel<<<N * Ho, Wo, 0, stream>>>(input, grid, out, s);
@@
-        backward_kernel<<<num_blocks_for(s), dim3(32, 8), 0, stream>>>(
+        backward_kernel<<<N * Ho, Wo, 0, stream>>>(
