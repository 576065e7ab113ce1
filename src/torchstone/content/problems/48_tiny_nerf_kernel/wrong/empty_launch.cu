// over: good/ray_per_thread.cu
// verdict: RTE
// group: edge
// en: Without rays the grid has no blocks, and a launch of 0 blocks is an error.
// zh: 没有光线时网格为空，启动 0 个线程块是错误。
@@
-    if (R == 0) {
-        return cudaSuccess;
-    }
     const Scene scene{rays_o, rays_d, field, bg, R, G, S, t_near, dt, T_min};
-    const unsigned num_blocks = (R - 1) / num_threads + 1;
+    const unsigned num_blocks = (R + num_threads - 1) / num_threads;
