// over: solution.cu
// verdict: WA value
// group: huge
// en: blockIdx.x * blockDim.x is an unsigned 32-bit product; cast before multiplying.
// zh: `blockIdx.x * blockDim.x` 是 32 位无符号乘法；先转成 64 位再相乘。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
-    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
+    const long long first = blockIdx.x * blockDim.x + threadIdx.x;
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
                                         float alpha, long long n, long long nb) {
-    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
+    const long long first = blockIdx.x * blockDim.x + threadIdx.x;
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
