// over: good/shifted_list.cu
// verdict: RTE
// group: edge
// en: A grid of no blocks is an error, not an empty loop: return before the launch.
// zh: 没有线程块的网格是错误，不是空循环：启动之前就要返回。
@@ knn
-    if (B == 0 || M == 0) {
-        return cudaSuccess;
-    }
