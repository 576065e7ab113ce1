// over: good/thread_per_element.cu
// verdict: WA value
// group: small
// en: n % 4 elements remain behind the last pack of four.
// zh: 四个一组处理完之后，还剩 n % 4 个元素。
@@ num_blocks_for
-static unsigned num_blocks_for(long long n) {
-    return static_cast<unsigned>((n + 255) / 256);
+__device__ static float relu(float x) { return x < 0.0f ? 0.0f : x; }
+__device__ static float mask(float grad_y, float y) { return y <= 0.0f ? 0.0f : grad_y; }
+
+static unsigned num_blocks_for(long long num_threads) {
+    return static_cast<unsigned>((num_threads + 255) / 256);
+}
+
+static bool is_aligned(const void* pointer) {
+    return reinterpret_cast<size_t>(pointer) % sizeof(float4) == 0;
+}
+
+__global__ void forward_by_four(const float* x, float* y, long long n) {
+    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
+    if (i < n / 4) {
+        const float4 v = reinterpret_cast<const float4*>(x)[i];
+        reinterpret_cast<float4*>(y)[i] =
+            make_float4(relu(v.x), relu(v.y), relu(v.z), relu(v.w));
+    }
+}
+
+__global__ void backward_by_four(const float* grad_y, const float* y, float* grad_x, long long n) {
+    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
+    if (i < n / 4) {
+        const float4 g = reinterpret_cast<const float4*>(grad_y)[i];
+        const float4 v = reinterpret_cast<const float4*>(y)[i];
+        reinterpret_cast<float4*>(grad_x)[i] =
+            make_float4(mask(g.x, v.x), mask(g.y, v.y), mask(g.z, v.z), mask(g.w, v.w));
+    }
@@ forward_kernel
-        y[i] = x[i] < 0.0f ? 0.0f : x[i];
+        y[i] = relu(x[i]);
@@ backward_kernel
-        grad_x[i] = y[i] <= 0.0f ? 0.0f : grad_y[i];
+        grad_x[i] = mask(grad_y[i], y[i]);
@@ relu_forward
-    forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, y, n);
+    if (is_aligned(x) && is_aligned(y)) {
+        forward_by_four<<<num_blocks_for(n / 4 + 1), 256, 0, stream>>>(x, y, n);
+    } else {
+        forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, y, n);
+    }
@@ relu_backward
-    backward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(grad_y, y, grad_x, n);
+    if (is_aligned(grad_y) && is_aligned(y) && is_aligned(grad_x)) {
+        backward_by_four<<<num_blocks_for(n / 4 + 1), 256, 0, stream>>>(grad_y, y, grad_x, n);
+    } else {
+        backward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(grad_y, y, grad_x, n);
+    }
