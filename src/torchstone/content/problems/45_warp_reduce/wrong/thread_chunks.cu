// over: good/atomic_per_block.cu
// verdict: SLOW
// group: perf
// en: Lanes with a contiguous chunk each read 32 sectors for 128 bytes; let neighbours read neighbours.
// zh: 每个 lane 各读连续一段，128 字节就要 32 个 sector；应当让相邻的 lane 读相邻的元素。
@@
-    const long long step = gridDim.x * static_cast<long long>(blockDim.x);
+    const long long num_threads = gridDim.x * static_cast<long long>(blockDim.x);
+    const long long each = (n + num_threads - 1) / num_threads;
+    const long long first = each * (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x);
     float sum = 0.0f;
-    for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n;
-         i += step) {
+    for (long long i = first; i < n && i < first + each; i++) {
@@
-    const long long blocks = (n + 255) / 256;
+    const long long blocks = (n + 4095) / 4096;
