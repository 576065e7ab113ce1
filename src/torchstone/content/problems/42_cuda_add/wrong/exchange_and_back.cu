// over: solution.cu
// verdict: WA grad
// group: broadcast
// en: Two exchanges are two operations: what others add between them is overwritten.
// zh: 两次 exchange 是两个操作：别的线程在其间加上的值会被覆盖。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
-            atomicAdd(&grad_b[i % nb], alpha * g);
+            const float before = atomicExch(&grad_b[i % nb], 0.0f);
+            atomicExch(&grad_b[i % nb], before + alpha * g);
