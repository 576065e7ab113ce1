// over: good/shifted_list.cu
// verdict: RACE
// group: small
// en: A tile may be overwritten only when everybody has read it: two barriers for each.
// zh: 要等所有线程都读完，才能覆盖 tile：每个 tile 需要两个屏障。
@@ knn_kernel
-        __syncthreads();
     }
