// over: good/ray_per_thread.cu
// verdict: WA grad
// group: collide
// en: Two exchanges are two operations: what other rays add between them is overwritten.
// zh: 两次 exchange 是两个操作：别的光线在其间加上的值会被覆盖。
@@
-            atomicAdd(&node[c], weight_of(sample.cell, corner) * grad_raw[c]);
+            const float before = atomicExch(&node[c], 0.0f);
+            atomicExch(&node[c], before + weight_of(sample.cell, corner) * grad_raw[c]);
