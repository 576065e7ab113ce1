// over: good/classic.cu
// verdict: FORBIDDEN_OP
// en: Takes scratch memory that this problem does not give: padded copies need no guards.
// zh: 申请本题不提供的临时显存：拷成补齐的副本，就不必判断边界。
@@
+    void* copy = nullptr;
+    cudaMallocAsync(&copy, (M + 15LL) / 16 * 16 * lda * sizeof(float), stream);
+    const size_t num_bytes = ((M - 1LL) * lda + K) * sizeof(float);
+    cudaMemcpyAsync(copy, A, num_bytes, cudaMemcpyDeviceToDevice, stream);
     const dim3 grid((M + T - 1) / T, (N + T - 1) / T), block(T, T);
-    matmul_kernel<<<grid, block, 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K);
+    matmul_kernel<<<grid, block, 0, stream>>>(static_cast<float*>(copy), lda, B, ldb, C,
+                                              ldc, M, N, K);
+    cudaFreeAsync(copy, stream);
