// over: good/counting_rank.cu
// verdict: WA property
// group: sample
// en: Scratch memory has to be freed in the same call, on the same stream.
// zh: 临时显存要在同一次调用中、在同一个流上释放。
@@
-__global__ void rank_kernel(const float* depth, int N, int* order) {
+__global__ void rank_kernel(const float* depth, int N, int* ranks) {
@@
-    order[rank] = n;
+    ranks[n] = rank;
+}
+
+__global__ void scatter_kernel(const int* ranks, int N, int* order) {
+    const int n = blockIdx.x * blockDim.x + threadIdx.x;
+    if (n < N) {
+        order[ranks[n]] = n;
+    }
@@
-        rank_kernel<<<num_blocks_for(N), 256, 0, stream>>>(depth, N, order);
+        int* ranks = nullptr;
+        const cudaError_t status = cudaMallocAsync(&ranks, N * sizeof(int), stream);
+        if (status != cudaSuccess) {
+            return status;
+        }
+        rank_kernel<<<num_blocks_for(N), 256, 0, stream>>>(depth, N, ranks);
+        scatter_kernel<<<num_blocks_for(N), 256, 0, stream>>>(ranks, N, order);
