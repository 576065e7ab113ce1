// over: solution.cu
// verdict: RTE
// group: small
// en: A float4 wants an address that is a multiple of 16; a float pointer promises 4.
// zh: float4 要求地址是 16 的倍数；float 指针只保证 4 字节对齐。
@@
-        for (int i = threadIdx.x; i < 3 * count; i += num_threads) {
+        const float4* const packs = reinterpret_cast<const float4*>(points + 3 * begin);
+        const int num_packs = 3 * count / 4;
+        for (int i = threadIdx.x; i < num_packs; i += num_threads) {
+            const float4 pack = packs[i];
+            tile[4 * i] = pack.x;
+            tile[4 * i + 1] = pack.y;
+            tile[4 * i + 2] = pack.z;
+            tile[4 * i + 3] = pack.w;
+        }
+        for (int i = 4 * num_packs + threadIdx.x; i < 3 * count; i += num_threads) {
