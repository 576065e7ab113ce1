// over: solution.cu
// verdict: RACE
// group: broadcast
// en: A plain read beside an atomic write is a race, and additions between the two are lost.
// zh: 普通读与原子写之间存在竞争，两者之间的累加会丢失。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
-            atomicAdd(&grad_b[i % nb], alpha * g);
+            const float before = grad_b[i % nb];
+            atomicExch(&grad_b[i % nb], before + alpha * g);
