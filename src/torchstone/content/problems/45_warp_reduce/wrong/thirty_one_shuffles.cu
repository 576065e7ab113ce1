// over: good/atomic_per_block.cu
// verdict: SLOW
// group: perf
// en: log2 of 32 is 5: a tree needs five shuffles, not one for each other lane.
// zh: log₂32 = 5：树形归约只需 5 次 shuffle，不必逐个 lane 去取。
@@
-    for (int offset = 16; offset > 0; offset /= 2) {
+    float sum = v;
+    for (int offset = 1; offset < 32; offset++) {
         const float other = __shfl_down_sync(mask, v, offset);
         if (lane + offset < count) {
-            v += other;
+            sum += other;
         }
     }
-    return v;
+    return sum;
