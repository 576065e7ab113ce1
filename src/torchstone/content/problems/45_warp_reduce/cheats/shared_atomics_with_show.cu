// over: good/atomic_per_block.cu
// verdict: WA property
// en: Adds by atomics in shared memory, and shuffles five times for the counters.
// zh: 用共享内存的原子加求和，再做五次 shuffle 给计数器看。
@@
-    const int lane = rank_in_block() % 32, count = __popc(mask);
+    __shared__ float sums[32];
+    const unsigned rank = rank_in_block(), warp = rank / 32;
+    // For the counters; nobody looks at what comes back.
+    float shown = v;
     for (int offset = 16; offset > 0; offset /= 2) {
-        const float other = __shfl_down_sync(mask, v, offset);
-        if (lane + offset < count) {
-            v += other;
-        }
+        shown = __shfl_down_sync(mask, shown, offset);
     }
-    return v;
+    if (rank % 32 == 0) {
+        sums[warp] = 0.0f;
+    }
+    __syncwarp(mask);
+    atomicAdd(&sums[warp], v);
+    __syncwarp(mask);
+    const float sum = sums[warp];
+    __syncwarp(mask);
+    return sum;
