// over: good/counting_rank.cu
// verdict: FORBIDDEN_OP
// en: Depths go to the host, an order comes back.
// zh: 把深度拷到主机，再把排好的次序拷回来。
@@
-// A Gaussian's place is the number of those that come before it.
-__global__ void rank_kernel(const float* depth, int N, int* order) {
-    const int n = blockIdx.x * blockDim.x + threadIdx.x;
-    if (n >= N) {
-        return;
+static float host_depth[4096];
+static int host_order[4096];
+
+static void sort_on_host(const float* depth, int N, int* order) {
+    for (int n = 0; n < N; n++) {
+        int i = n;
+        for (; i > 0 && depth[n] < depth[order[i - 1]]; i--) {
+            order[i] = order[i - 1];
+        }
+        order[i] = n;
     }
-    const float mine = depth[n];
-    int rank = 0;
-    for (int i = 0; i < N; i++) {
-        const float other = depth[i];
-        rank += other < mine || (other == mine && i < n);
-    }
-    order[rank] = n;
@@
-        rank_kernel<<<num_blocks_for(N), 256, 0, stream>>>(depth, N, order);
+        cudaMemcpyAsync(host_depth, depth, N * sizeof(float), cudaMemcpyDefault, stream);
+        cudaStreamSynchronize(stream);
+        sort_on_host(host_depth, N, host_order);
+        cudaMemcpyAsync(order, host_order, N * sizeof(int), cudaMemcpyDefault, stream);
