// over: solution.cu
// verdict: WA grad
// group: edge
// en: To add to 0 is no copy: −0 becomes +0.
// zh: 加到 0 上并不是拷贝：−0 会变成 +0。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            grad_a[i] = g;
+            grad_a[i] = 0.0f + g;
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
