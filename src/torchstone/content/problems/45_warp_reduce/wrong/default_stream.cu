// over: good/atomic_per_block.cu
// verdict: WA property
// group: small
// en: Work on another stream does not wait for the memset, nor for what has written x.
// zh: 放到别的流上的操作，既不等 memset，也不等写入 x 的操作。
@@
-    sum_by_block<<<grid, 256, 0, stream>>>(x, n, out);
+    sum_by_block<<<grid, 256>>>(x, n, out);
