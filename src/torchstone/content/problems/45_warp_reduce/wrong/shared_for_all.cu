// over: good/atomic_per_block.cu
// verdict: WA property
// group: block
// en: A tree over all threads takes 4 KiB and ten barriers; after the warps only 32 numbers are left.
// zh: 让所有线程一起做树形归约，要占 4 KiB、用十次屏障；先在 warp 内归约，就只剩 32 个数。
@@
-    __shared__ float sums[32];
-    __shared__ float total;
-    const unsigned rank = rank_in_block(), warp = rank / 32, lane = rank % 32;
-    const unsigned num_warps = (block_size() + 31) / 32;
-    const unsigned in_warp = min(32u, block_size() - 32 * warp);
-    const unsigned mask = 0xffffffffu >> (32 - in_warp);
-    v = warp_sum(v, mask);
-    if (lane == 0) {
-        sums[warp] = v;
-    }
+    __shared__ float sums[1024];
+    const unsigned rank = rank_in_block(), size = block_size();
+    sums[rank] = v;
     __syncthreads();
-    if (warp == 0) {
-        v = warp_sum(lane < num_warps ? sums[lane] : 0.0f, mask);
-        if (lane == 0) {
-            total = v;
+    for (unsigned offset = 512; offset > 0; offset /= 2) {
+        if (rank < offset && rank + offset < size) {
+            sums[rank] += sums[rank + offset];
         }
+        __syncthreads();
     }
+    const float total = sums[0];
