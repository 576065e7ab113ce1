// over: good/one_block.cu
// verdict: FORBIDDEN_OP
// en: Takes scratch memory that this problem does not give.
// zh: 申请本题不提供的临时显存。
@@
-    sum_all<<<1, 1024, 0, stream>>>(x, n, out);
+    float* copy = nullptr;
+    cudaMallocAsync(&copy, n * sizeof(float), stream);
+    cudaMemcpyAsync(copy, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
+    sum_all<<<1, 1024, 0, stream>>>(copy, n, out);
+    cudaFreeAsync(copy, stream);
