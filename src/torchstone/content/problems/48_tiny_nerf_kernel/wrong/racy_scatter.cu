// over: good/ray_per_thread.cu
// verdict: RACE
// group: collide
// en: Rays meet in a node: += of two threads is a race, and one of the two sums is lost.
// zh: 多条光线会碰到同一个格点：两个线程做 += 就是竞争，会丢掉其中一份。
@@
-            atomicAdd(&node[c], weight_of(sample.cell, corner) * grad_raw[c]);
+            node[c] += weight_of(sample.cell, corner) * grad_raw[c];
