// over: good/thread_per_element.cu
// verdict: RTE
// group: layout
// en: A load of 16 bytes needs an address that is a multiple of 16; a float pointer promises 4.
// zh: 16 字节的读取要求地址是 16 的倍数；float 指针只保证 4 字节对齐。
@@ num_blocks_for
-static unsigned num_blocks_for(long long n) {
-    return static_cast<unsigned>((n + 255) / 256);
+__device__ static float relu(float x) { return x < 0.0f ? 0.0f : x; }
+__device__ static float mask(float grad_y, float y) { return y <= 0.0f ? 0.0f : grad_y; }
+
+static unsigned num_blocks_for(long long num_threads) {
+    return static_cast<unsigned>((num_threads + 255) / 256);
@@ forward_kernel
-__global__ void forward_kernel(const float* x, float* y, long long n) {
+__global__ void forward_by_four(const float* x, float* y, long long n) {
@@ forward_kernel
-    if (i < n) {
-        y[i] = x[i] < 0.0f ? 0.0f : x[i];
+    if (i < n / 4) {
+        const float4 v = reinterpret_cast<const float4*>(x)[i];
+        reinterpret_cast<float4*>(y)[i] =
+            make_float4(relu(v.x), relu(v.y), relu(v.z), relu(v.w));
+    }
+    if (i < n % 4) {
+        y[n - 1 - i] = relu(x[n - 1 - i]);
@@ backward_kernel
-__global__ void backward_kernel(const float* grad_y, const float* y, float* grad_x, long long n) {
+__global__ void backward_by_four(const float* grad_y, const float* y, float* grad_x, long long n) {
@@ backward_kernel
-    if (i < n) {
-        grad_x[i] = y[i] <= 0.0f ? 0.0f : grad_y[i];
+    if (i < n / 4) {
+        const float4 g = reinterpret_cast<const float4*>(grad_y)[i];
+        const float4 v = reinterpret_cast<const float4*>(y)[i];
+        reinterpret_cast<float4*>(grad_x)[i] =
+            make_float4(mask(g.x, v.x), mask(g.y, v.y), mask(g.z, v.z), mask(g.w, v.w));
+    }
+    if (i < n % 4) {
+        grad_x[n - 1 - i] = mask(grad_y[n - 1 - i], y[n - 1 - i]);
@@ relu_forward
-    forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, y, n);
+    forward_by_four<<<num_blocks_for(n / 4 + 1), 256, 0, stream>>>(x, y, n);
@@ relu_backward
-    backward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(grad_y, y, grad_x, n);
+    backward_by_four<<<num_blocks_for(n / 4 + 1), 256, 0, stream>>>(grad_y, y, grad_x, n);
