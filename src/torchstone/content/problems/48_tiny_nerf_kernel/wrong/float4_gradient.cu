// over: good/ray_per_thread.cu
// verdict: RTE
// group: grad
// en: A float4 wants an address that is a multiple of 16: field has one, grad_field need not.
// zh: float4 要求地址是 16 的倍数：field 满足，grad_field 不一定。
@@
+__global__ void zero_kernel(float4* nodes, int num_nodes) {
+    const int node = blockIdx.x * num_threads + threadIdx.x;
+    if (node < num_nodes) {
+        nodes[node] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
+    }
+}
+
 __global__ void backward_kernel(Scene scene, Given given, float* grad_field) {
@@
-    cudaMemsetAsync(grad_field, 0, 4 * sizeof(float) * G * G * G, stream);
+    const int num_nodes = G * G * G;
+    zero_kernel<<<(num_nodes - 1) / num_threads + 1, num_threads, 0, stream>>>(
+        reinterpret_cast<float4*>(grad_field), num_nodes);
