// over: good/ray_per_thread.cu
// verdict: FORBIDDEN_OP
// en: Takes memory for the weights of all samples, which this problem does not give.
// zh: 申请本题不提供的显存，想存下所有采样点的权重。
@@
         return cudaGetLastError();
     }
+    float* weights = nullptr;
+    cudaMallocAsync(&weights, sizeof(float) * R * S, stream);
@@
     backward_kernel<<<num_blocks, num_threads, 0, stream>>>(scene, given, grad_field);
+    cudaFreeAsync(weights, stream);
