// over: solution.cu
// verdict: WA property
// group: sample
// en: Work on another stream does not wait for what has written the clouds.
// zh: 放到别的流上的操作，不会等待写入点云的操作完成。
@@
-    kernel<<<grid, num_threads, 0, stream>>>(query, ref, query_len, ref_len, M, N, K, dist, idx);
+    kernel<<<grid, num_threads>>>(query, ref, query_len, ref_len, M, N, K, dist, idx);
