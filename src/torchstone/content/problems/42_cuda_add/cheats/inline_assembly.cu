// over: solution.cu
// verdict: CE
// en: An instruction of the machine in the middle of a kernel.
// zh: 在核函数里写内联汇编，直接下机器指令。
@@
-    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
@@
-        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
+        asm volatile("nop");
@@
-            // n / nb elements share a column, and no two of their threads know of each other.
