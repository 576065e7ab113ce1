// over: good/ray_per_thread.cu
// verdict: OOB
// group: face
// en: At p = 1 the floor is the last node, which begins no cell: the cell is at most G − 2.
// zh: p = 1 处取整得到最后一个格点，它后面没有格子：格子编号至多是 G − 2。
@@
-        lowest[axis] = min(static_cast<int>(floorf(u[axis])), G - 2);
+        lowest[axis] = static_cast<int>(floorf(u[axis]));
