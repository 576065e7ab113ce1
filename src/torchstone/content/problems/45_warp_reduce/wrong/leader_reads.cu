// over: good/atomic_per_block.cu
// verdict: SLOW
// group: perf
// en: One lane that reads for its warp leaves 31 idle, and asks for one float at a time.
// zh: 由一个 lane 替整个 warp 读取，31 个 lane 都闲着，而且一次只取一个 float。
@@
-        sum += x[i];
+        if (threadIdx.x % 32 == 0) {
+            for (int j = 0; j < 32 && i + j < n; j++) {
+                sum += x[i + j];
+            }
+        }
