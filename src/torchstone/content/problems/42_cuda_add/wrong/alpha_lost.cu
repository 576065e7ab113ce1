// over: solution.cu
// verdict: WA grad
// group: broadcast
// en: The chain rule keeps the factor.
// zh: 链式法则保留系数。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
-            atomicAdd(&grad_b[i % nb], alpha * g);
+            atomicAdd(&grad_b[i % nb], g);
