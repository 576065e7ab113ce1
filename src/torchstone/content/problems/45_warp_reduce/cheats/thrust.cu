// over: good/one_block.cu
// verdict: CE
// en: A library does all of it.
// zh: 全部交给现成的库。
@@
 #include <cuda_runtime.h>
+#include <thrust/execution_policy.h>
+#include <thrust/reduce.h>
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
+static __global__ void write(float sum, float* out) { *out = sum; }
@@
-    sum_all<<<1, 1024, 0, stream>>>(x, n, out);
+    write<<<1, 1, 0, stream>>>(thrust::reduce(thrust::cuda::par.on(stream), x, x + n), out);
