// over: solution.cu
// verdict: WA grad
// group: broadcast
// en: volatile keeps the compiler from holding a value in a register; += remains a read and a write.
// zh: volatile 只是不让编译器把值留在寄存器里；`+=` 仍是一次读和一次写。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
-            atomicAdd(&grad_b[i % nb], alpha * g);
+            volatile float* const sum = &grad_b[i % nb];
+            *sum = *sum + alpha * g;
