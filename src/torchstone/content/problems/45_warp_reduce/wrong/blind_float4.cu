// over: good/atomic_per_block.cu
// verdict: RTE
// group: layout
// en: A load of 16 bytes needs an address that is a multiple of 16; a float pointer promises 4.
// zh: 16 字节的读取要求地址是 16 的倍数；float 指针只保证 4 字节对齐。
@@
-    float sum = 0.0f;
-    for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n;
-         i += step) {
-        sum += x[i];
+    const long long first = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
+    float sum = first < n % 4 ? x[n - 1 - first] : 0.0f;
+    for (long long i = first; i < n / 4; i += step) {
+        const float4 four = reinterpret_cast<const float4*>(x)[i];
+        sum += (four.x + four.y) + (four.z + four.w);
