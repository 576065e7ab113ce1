// over: solution.cu
// verdict: WA value
// group: broadcast
// en: Trailing dimensions run fastest.
// zh: 尾部维度变化最快。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
-        out[i] = a[i] + alpha * b[i % nb];
+        out[i] = a[i] + alpha * b[i / (n / nb)];
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
