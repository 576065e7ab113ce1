// over: good/counting_rank.cu
// verdict: OOB
// en: The host sorts, by following pointers of the device.
// zh: 主机顺着设备指针自己排序。
@@
-// A Gaussian's place is the number of those that come before it.
-__global__ void rank_kernel(const float* depth, int N, int* order) {
-    const int n = blockIdx.x * blockDim.x + threadIdx.x;
-    if (n >= N) {
-        return;
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
+        cudaStreamSynchronize(stream);
+        sort_on_host(depth, N, order);
