// over: solution.cu
// verdict: WA value
// group: edge
// en: 0 * NaN is NaN.
// zh: 0·NaN 仍为 NaN。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
-        out[i] = a[i] + alpha * b[i % nb];
+        out[i] = alpha == 0.0f ? a[i] : a[i] + alpha * b[i % nb];
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
