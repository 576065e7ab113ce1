// over: solution.cu
// verdict: UNINIT | WA grad
// group: grad
// en: grad_b arrives filled with zeros, grad_a does not: it is written, not added to.
// zh: grad_b 起初全为 0，grad_a 则不是：它要直接写入，不能累加。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            grad_a[i] = g;
+            grad_a[i] += g;
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
