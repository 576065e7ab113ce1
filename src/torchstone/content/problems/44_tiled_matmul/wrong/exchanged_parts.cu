// over: good/split_k.cu
// verdict: WA value
// group: sample
// en: Two exchanges are two operations: a part that another block adds between them is overwritten.
// zh: 两次 exchange 是两个操作：别的线程块在其间加上的部分和会被覆盖。
@@
-            atomicAdd(&C[to * ldc + col], sums[r]);
+            const float before = atomicExch(&C[to * ldc + col], 0.0f);
+            atomicExch(&C[to * ldc + col], before + sums[r]);
