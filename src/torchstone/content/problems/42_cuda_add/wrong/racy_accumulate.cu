// over: solution.cu
// verdict: RACE
// group: broadcast
// en: Two threads read the same old value; one addition is lost.
// zh: 两个线程读到同一个旧值，就会丢失一次累加。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
-            atomicAdd(&grad_b[i % nb], alpha * g);
+            grad_b[i % nb] += alpha * g;
