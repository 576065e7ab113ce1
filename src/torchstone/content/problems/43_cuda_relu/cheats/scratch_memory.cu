// over: good/thread_per_element.cu
// verdict: FORBIDDEN_OP
// en: Takes scratch memory that this problem does not give: aligned copies hide every phase.
// zh: 申请本题不提供的临时显存：先拷到对齐的缓冲区，就不必理会相位。
@@ relu_forward
-    forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, y, n);
+    void* aligned = nullptr;
+    cudaMallocAsync(&aligned, n * sizeof(float), stream);
+    forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, static_cast<float*>(aligned), n);
+    cudaMemcpyAsync(y, aligned, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
+    cudaFreeAsync(aligned, stream);
