// over: good/atomic_per_block.cu
// verdict: RACE
// group: block
// en: Leave only when all have read: the next call overwrites the total in its first line.
// zh: 所有线程读完才能复用：下一次调用一开始就会覆盖总和。
@@
-    __shared__ float total;
@@
-            total = v;
+            sums[0] = v;
@@
-    return total;
+    return sums[0];
