// over: good/counting_rank.cu
// verdict: WA value
// en: Takes Gaussians as they come and hopes that they are nearly sorted.
// zh: 来什么顺序就按什么顺序，指望输入差不多已经排好。
@@
-// A Gaussian's place is the number of those that come before it.
-__global__ void rank_kernel(const float* depth, int N, int* order) {
+__global__ void count_kernel(int N, int* order) {
     const int n = blockIdx.x * blockDim.x + threadIdx.x;
-    if (n >= N) {
-        return;
+    if (n < N) {
+        order[n] = n;
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
+        count_kernel<<<num_blocks_for(N), 256, 0, stream>>>(N, order);
