// over: good/atomic_per_block.cu
// verdict: WA value
// group: edge
// en: Integers add up alike in every order, but they hold neither NaN nor infinity.
// zh: 整数相加与顺序无关，但表示不了 NaN 和无穷大。
@@
-static __global__ void sum_by_block(const float* x, long long n, float* out) {
+static __device__ unsigned long long total;
+
+static __global__ void clear() { total = 0; }
+
+static __global__ void sum_by_block(const float* x, long long n) {
@@
-        atomicAdd(out, sum);
+        // 32 bits behind the point; two's complement makes the unsigned sum right.
+        atomicAdd(&total, static_cast<unsigned long long>(__float2ll_rn(sum * 4294967296.0f)));
@@
+static __global__ void write_total(float* out) {
+    *out = static_cast<float>(static_cast<long long>(total) / 4294967296.0);
+}
+
 extern "C" cudaError_t reduce_sum(const float* x, long long n, float* out, cudaStream_t stream) {
@@
-    cudaMemsetAsync(out, 0, sizeof(float), stream);
-    if (n == 0) {
-        return cudaGetLastError();
-    }
     const long long blocks = (n + 255) / 256;
-    const unsigned grid = static_cast<unsigned>(blocks < 1024 ? blocks : 1024);
-    sum_by_block<<<grid, 256, 0, stream>>>(x, n, out);
+    const unsigned grid = static_cast<unsigned>(blocks < 1 ? 1 : blocks < 1024 ? blocks : 1024);
+    clear<<<1, 1, 0, stream>>>();
+    sum_by_block<<<grid, 256, 0, stream>>>(x, n);
+    write_total<<<1, 1, 0, stream>>>(out);
