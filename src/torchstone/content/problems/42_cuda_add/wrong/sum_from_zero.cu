// over: solution.cu
// verdict: WA value
// group: edge
// en: A sum that begins at +0 makes +0 of two −0.
// zh: 从 +0 开始累加，两个 −0 之和就成了 +0。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
-        out[i] = a[i] + alpha * b[i % nb];
+        float sum = 0.0f;
+        sum += a[i];
+        sum += alpha * b[i % nb];
+        out[i] = sum;
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
