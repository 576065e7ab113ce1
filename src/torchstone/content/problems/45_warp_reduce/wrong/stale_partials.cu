// over: good/one_block.cu
// verdict: WA value
// group: small
// en: A __device__ array keeps what an earlier, larger call left there: add only what this one wrote.
// zh: `__device__` 数组里还留着之前更大的调用写下的值：只能把这一次写的加起来。
@@
-static __global__ void sum_all(const float* x, long long n, float* out) {
+static __device__ float partials[1024];
+
+static __global__ void sum_by_block(const float* x, long long n) {
+    const long long step = gridDim.x * static_cast<long long>(blockDim.x);
     float sum = 0.0f;
-    for (long long i = threadIdx.x; i < n; i += blockDim.x) {
+    for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n;
+         i += step) {
@@
     sum = block_sum(sum);
+    if (threadIdx.x == 0) {
+        partials[blockIdx.x] = sum;
+    }
+}
+
+static __global__ void sum_partials(float* out) {
+    const float sum = block_sum(partials[threadIdx.x]);
@@
-    sum_all<<<1, 1024, 0, stream>>>(x, n, out);
+    const long long blocks = (n + 255) / 256;
+    const unsigned grid = static_cast<unsigned>(blocks < 1 ? 1 : blocks < 1024 ? blocks : 1024);
+    sum_by_block<<<grid, 256, 0, stream>>>(x, n);
+    sum_partials<<<1, 1024, 0, stream>>>(out);
