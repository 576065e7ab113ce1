// over: solution.cu
// verdict: WA grad
// group: broadcast
// en: An atomic read and an atomic write do not make an atomic addition.
// zh: 原子读加原子写，并不等于原子加。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
-            atomicAdd(&grad_b[i % nb], alpha * g);
+            const float before = atomicAdd(&grad_b[i % nb], 0.0f);
+            atomicExch(&grad_b[i % nb], before + alpha * g);
