// over: solution.cu
// verdict: RTE | OOB
// group: layout
// en: A float4 must lie at a multiple of 16 bytes, and a pointer may be 4 bytes off.
// zh: `float4` 的地址必须是 16 字节的倍数，而指针可能只按 4 字节对齐。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
     const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
     const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
-    for (long long i = first; i < n; i += stride) {
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
+    for (long long quad = first; quad < n / 4; quad += stride) {
+        float4 sum = reinterpret_cast<const float4*>(a)[quad];
+        sum.x += alpha * b[4 * quad % nb];
+        sum.y += alpha * b[(4 * quad + 1) % nb];
+        sum.z += alpha * b[(4 * quad + 2) % nb];
+        sum.w += alpha * b[(4 * quad + 3) % nb];
+        reinterpret_cast<float4*>(out)[quad] = sum;
+    }
+    for (long long i = n / 4 * 4 + first; i < n; i += stride) {
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
