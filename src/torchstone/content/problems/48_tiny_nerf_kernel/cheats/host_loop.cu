// over: good/ray_per_thread.cu
// verdict: OOB
// en: The host marches along pointers of the device; nothing is launched.
// zh: 让主机拿着设备指针自己步进，根本不启动核函数。
@@
-constexpr int num_threads = 128;
-
@@
-__device__ float softplus(float x) { return fmaxf(x, 0.0f) + log1pf(expf(-fabsf(x))); }
-__device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
-__device__ float density_of(const Sample& sample) { return softplus(sample.raw[0]); }
-__device__ float colour_of(const Sample& sample, int c) { return sigmoid(sample.raw[1 + c]); }
+float softplus(float x) { return fmaxf(x, 0.0f) + log1pf(expf(-fabsf(x))); }
+float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
+float density_of(const Sample& sample) { return softplus(sample.raw[0]); }
+float colour_of(const Sample& sample, int c) { return sigmoid(sample.raw[1 + c]); }

-__device__ Cell cell_of(const float* p, int G) {
+Cell cell_of(const float* p, int G) {
@@
-        lowest[axis] = min(static_cast<int>(floorf(u[axis])), G - 2);
+        lowest[axis] = static_cast<int>(fminf(floorf(u[axis]), G - 2));
@@
-__device__ long long node_of(const Cell& cell, int corner, int G) {
+long long node_of(const Cell& cell, int corner, int G) {
@@
-__device__ float weight_of(const Cell& cell, int corner) {
+float weight_of(const Cell& cell, int corner) {
@@
-__device__ Sample look(const Scene& scene, long long ray, int i) {
+Sample look(const Scene& scene, long long ray, int i) {
@@
-__global__ void forward_kernel(Scene scene, float* rgb, float* depth, float* opacity, int* steps) {
-    const long long ray = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
-    if (ray >= scene.R) {
-        return;
-    }
+void march(const Scene& scene, long long ray, float* rgb, float* depth, float* opacity,
+           int* steps) {
@@
-__device__ void add_to_lattice(float* grad_field, const Scene& scene, const Sample& sample,
+void add_to_lattice(float* grad_field, const Scene& scene, const Sample& sample,
@@
-            atomicAdd(&node[c], weight_of(sample.cell, corner) * grad_raw[c]);
+            node[c] += weight_of(sample.cell, corner) * grad_raw[c];
@@
-__global__ void backward_kernel(Scene scene, Given given, float* grad_field) {
-    const long long ray = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
-    if (ray >= scene.R) {
-        return;
-    }
+void march_back(const Scene& scene, const Given& given, long long ray, float* grad_field) {
@@
-    const unsigned num_blocks = (R - 1) / num_threads + 1;
-    forward_kernel<<<num_blocks, num_threads, 0, stream>>>(scene, rgb, depth, opacity, steps);
+    cudaStreamSynchronize(stream);
+    for (long long ray = 0; ray < R; ray++) {
+        march(scene, ray, rgb, depth, opacity, steps);
+    }
@@
-    const unsigned num_blocks = (R - 1) / num_threads + 1;
-    backward_kernel<<<num_blocks, num_threads, 0, stream>>>(scene, given, grad_field);
+    cudaStreamSynchronize(stream);
+    for (long long ray = 0; ray < R; ray++) {
+        march_back(scene, given, ray, grad_field);
+    }
