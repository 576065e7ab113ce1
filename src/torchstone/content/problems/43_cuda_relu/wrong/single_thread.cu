// over: good/thread_per_element.cu
// verdict: SLOW
// group: perf
// en: <<<1, 1>>> uses one lane of one warp of one multiprocessor.
// zh: <<<1, 1>>> 只用了一个 SM 上一个 warp 里的一个 lane。
@@ num_blocks_for
-static unsigned num_blocks_for(long long n) {
-    return static_cast<unsigned>((n + 255) / 256);
-}
-
 __global__ void forward_kernel(const float* x, float* y, long long n) {
-    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
-    if (i < n) {
+    for (long long i = 0; i < n; i++) {
@@ backward_kernel
 __global__ void backward_kernel(const float* grad_y, const float* y, float* grad_x, long long n) {
-    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
-    if (i < n) {
+    for (long long i = 0; i < n; i++) {
@@ relu_forward
-    forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, y, n);
+    forward_kernel<<<1, 1, 0, stream>>>(x, y, n);
@@ relu_backward
-    backward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(grad_y, y, grad_x, n);
+    backward_kernel<<<1, 1, 0, stream>>>(grad_y, y, grad_x, n);
