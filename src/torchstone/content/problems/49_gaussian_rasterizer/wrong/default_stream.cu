// over: good/counting_rank.cu
// verdict: WA property
// group: sample
// en: Two kernels on different streams may run at once: one reads the order, one writes it.
// zh: 不同流上的两个核函数可能同时执行：一个在读次序，另一个还在写。
@@
-        rank_kernel<<<num_blocks_for(N), 256, 0, stream>>>(depth, N, order);
+        rank_kernel<<<num_blocks_for(N), 256>>>(depth, N, order);
