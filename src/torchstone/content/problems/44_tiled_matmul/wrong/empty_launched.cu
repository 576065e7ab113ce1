// over: good/classic.cu
// verdict: RTE
// group: edge
// en: A grid of zero blocks is an invalid configuration: return before the launch.
// zh: 0 个线程块的网格是非法配置：应在启动之前返回。
@@
-    if (M == 0 || N == 0) {
-        return cudaSuccess;
-    }
