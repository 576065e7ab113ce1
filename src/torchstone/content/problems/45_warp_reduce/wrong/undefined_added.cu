// over: good/atomic_per_block.cu
// verdict: WA value
// group: warp
// en: Beyond the last lane the value is undefined; test lane + offset < k.
// zh: 越界 lane 的值未定义：相加之前先判断 lane + offset < k。
@@
-    const int lane = rank_in_block() % 32, count = __popc(mask);
     for (int offset = 16; offset > 0; offset /= 2) {
-        const float other = __shfl_down_sync(mask, v, offset);
-        if (lane + offset < count) {
-            v += other;
-        }
+        v += __shfl_down_sync(mask, v, offset);
