// over: good/atomic_per_block.cu
// verdict: WA value
// group: block
// en: After the second tree only the first lane has the sum; share it, for every thread returns it.
// zh: 第二轮归约之后只有第一个 lane 有总和：要写到共享内存里，让每个线程都能返回。
@@
-    __shared__ float total;
@@
     if (warp == 0) {
         v = warp_sum(lane < num_warps ? sums[lane] : 0.0f, mask);
-        if (lane == 0) {
-            total = v;
-        }
     }
     __syncthreads();
-    return total;
+    return v;
