// over: good/atomic_per_block.cu
// verdict: WA value
// group: small
// en: Two exchanges are two operations: the sum of a block that comes between them is overwritten.
// zh: 两次 exchange 是两个操作：在其间加上的线程块之和会被覆盖。
@@
-        atomicAdd(out, sum);
+        const float before = atomicExch(out, 0.0f);
+        atomicExch(out, before + sum);
