// over: solution.cu
// verdict: RACE
// group: broadcast
// en: Blocks have no order: one clears what another has added.
// zh: 线程块之间没有先后次序：一个块会清掉另一个块已经加上的值。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
+    for (long long j = first; grad_b && j < nb; j += stride) {
+        grad_b[j] = 0.0f;
+    }
+    __syncthreads();
     for (long long i = first; i < n; i += stride) {
         const float g = grad_out[i];
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
