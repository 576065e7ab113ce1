// over: good/one_block.cu
// verdict: FORBIDDEN_OP
// en: Fetches the numbers to the host, which adds them up; a kernel of one thread stores the sum.
// zh: 把数取回主机求和，再用单线程的核函数写回结果。
@@
+static float host_x[1 << 23];
+
+static __global__ void store(float sum, float* out) { *out = sum; }
+
 extern "C" cudaError_t reduce_sum(const float* x, long long n, float* out, cudaStream_t stream) {
@@
-    sum_all<<<1, 1024, 0, stream>>>(x, n, out);
+    cudaMemcpyAsync(host_x, x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
+    cudaStreamSynchronize(stream);
+    double sum = 0.0;
+    for (long long i = 0; i < n; i++) {
+        sum += host_x[i];
+    }
+    store<<<1, 1, 0, stream>>>(static_cast<float>(sum), out);
