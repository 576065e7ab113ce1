// over: solution.cu
// verdict: WA value
// group: inplace
// en: out may be a: what is written before a is read is gone.
// zh: out 可能就是 a：在读 a 之前写入，a 就没了。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
-        out[i] = a[i] + alpha * b[i % nb];
+        out[i] = alpha * b[i % nb];
+        out[i] += a[i];
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
