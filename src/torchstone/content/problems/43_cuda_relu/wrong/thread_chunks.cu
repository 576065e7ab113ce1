// over: good/thread_per_element.cu
// verdict: SLOW
// group: perf
// en: Neighbouring threads must touch neighbouring addresses; a chunk for each scatters the warp.
// zh: 相邻线程应当访问相邻地址；每个线程各管连续的一段，会把一个 warp 的访问打散。
@@ num_blocks_for
-static unsigned num_blocks_for(long long n) {
-    return static_cast<unsigned>((n + 255) / 256);
+// So many threads that the card is full; each has elements of its own, one after the other.
+constexpr int num_threads = 256, num_blocks = 16;
+
+__device__ static long long chunk_of(long long n) {
+    const long long all = num_threads * static_cast<long long>(num_blocks);
+    return (n + all - 1) / all;
@@ forward_kernel
 __global__ void forward_kernel(const float* x, float* y, long long n) {
-    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
-    if (i < n) {
+    const long long chunk = chunk_of(n);
+    const long long first = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) * chunk;
+    for (long long i = first; i < first + chunk && i < n; i++) {
@@ backward_kernel
 __global__ void backward_kernel(const float* grad_y, const float* y, float* grad_x, long long n) {
-    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
-    if (i < n) {
+    const long long chunk = chunk_of(n);
+    const long long first = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) * chunk;
+    for (long long i = first; i < first + chunk && i < n; i++) {
@@ relu_forward
-    forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, y, n);
+    forward_kernel<<<num_blocks, num_threads, 0, stream>>>(x, y, n);
@@ relu_backward
-    backward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(grad_y, y, grad_x, n);
+    backward_kernel<<<num_blocks, num_threads, 0, stream>>>(grad_y, y, grad_x, n);
