// over: good/shifted_list.cu
// verdict: FORBIDDEN_OP
// en: Takes memory for all M * N distances, which this problem does not give.
// zh: 申请能容纳全部 M * N 个距离的显存，而本题不提供。
@@ knn
+    void* distances = nullptr;
+    cudaMallocAsync(&distances, sizeof(float) * B * M * N, stream);
+    cudaFreeAsync(distances, stream);
     const dim3 grid((M + num_threads - 1) / num_threads, B);
