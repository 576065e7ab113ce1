// over: solution.cu
// verdict: RACE
// group: broadcast
// en: A lock needs fences: without __threadfence() its next owner may still see the old sum.
// zh: 锁需要栅栏：没有 `__threadfence()`，下一个持锁者可能仍看到旧的和。
@@
 #include <cuda_runtime.h>
 
+static __device__ int lock;
+
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
-            atomicAdd(&grad_b[i % nb], alpha * g);
+            for (bool is_done = false; !is_done;) {
+                if (atomicCAS(&lock, 0, 1) == 0) {
+                    grad_b[i % nb] += alpha * g;
+                    atomicExch(&lock, 0);
+                    is_done = true;
+                }
+            }
