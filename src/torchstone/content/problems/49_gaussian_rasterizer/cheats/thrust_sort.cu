// over: good/counting_rank.cu
// verdict: CE
// en: Lets a library of templates sort.
// zh: 让模板库来排序。
@@
 #include <cuda_runtime.h>
+#include <thrust/execution_policy.h>
+#include <thrust/sort.h>
@@
-// A Gaussian's place is the number of those that come before it.
-__global__ void rank_kernel(const float* depth, int N, int* order) {
+struct Nearer {
+    const float* depth;
+    __device__ bool operator()(int a, int b) const {
+        return depth[a] < depth[b] || (depth[a] == depth[b] && a < b);
+    }
+};
+
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
+        thrust::sort(thrust::cuda::par.on(stream), order, order + N, Nearer{depth});
