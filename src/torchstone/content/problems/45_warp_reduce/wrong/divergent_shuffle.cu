// over: good/atomic_per_block.cu
// verdict: RACE | HUNG
// group: sample
// en: All lanes of the mask must execute the shuffle, also those that add nothing.
// zh: mask 中所有 lane 都要执行 shuffle，不需要相加的也不例外。
@@
-        const float other = __shfl_down_sync(mask, v, offset);
-        if (lane + offset < count) {
-            v += other;
+        if (lane < offset) {
+            const float other = __shfl_down_sync(mask, v, offset);
+            v += lane + offset < count ? other : 0.0f;
