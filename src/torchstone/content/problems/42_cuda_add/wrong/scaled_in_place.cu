// over: solution.cu
// verdict: INPUT_MUTATED
// group: broadcast
// en: grad_out is an input: scale a copy of the number, not the memory of the caller.
// zh: grad_out 是输入：该缩放的是取出来的数，不是调用者的内存。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-        const float g = grad_out[i];
+        float& g = const_cast<float*>(grad_out)[i];
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
-            atomicAdd(&grad_b[i % nb], alpha * g);
+            g *= alpha;
+            atomicAdd(&grad_b[i % nb], g);
