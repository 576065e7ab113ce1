// over: good/atomic_per_block.cu
// verdict: WA value
// group: large
// en: One address serves all atomics one by one, and the float error grows with n.
// zh: 所有原子加排队争用一个地址，而且 float 误差随 n 增长。
@@
-    float sum = 0.0f;
     for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n;
          i += step) {
-        sum += x[i];
-    }
-    sum = block_sum(sum);
-    if (threadIdx.x == 0) {
-        atomicAdd(out, sum);
+        atomicAdd(out, x[i]);
