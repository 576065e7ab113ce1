// over: good/one_block.cu
// verdict: OOB
// en: The host walks over a pointer of the device; nothing is launched.
// zh: 让主机直接遍历设备指针，根本不启动核函数。
@@
-static __global__ void sum_all(const float* x, long long n, float* out) {
-    float sum = 0.0f;
-    for (long long i = threadIdx.x; i < n; i += blockDim.x) {
-        sum += x[i];
-    }
-    sum = block_sum(sum);
-    if (threadIdx.x == 0) {
-        *out = sum;
-    }
-}
-
@@
-    sum_all<<<1, 1024, 0, stream>>>(x, n, out);
-    return cudaGetLastError();
+    cudaStreamSynchronize(stream);
+    double sum = 0.0;
+    for (long long i = 0; i < n; i++) {
+        sum += x[i];
+    }
+    *out = static_cast<float>(sum);
+    return cudaSuccess;
