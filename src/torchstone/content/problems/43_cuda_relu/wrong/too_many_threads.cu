// over: good/thread_per_element.cu
// verdict: RTE
// group: sample
// en: A block has at most 1024 threads; the launch fails, and only cudaGetLastError tells.
// zh: 每个线程块最多 1024 个线程；启动会失败，而且只有 cudaGetLastError 会告诉你。
@@ num_blocks_for
-    return static_cast<unsigned>((n + 255) / 256);
+    return static_cast<unsigned>((n + 2047) / 2048);
@@ relu_forward
-    forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, y, n);
+    forward_kernel<<<num_blocks_for(n), 2048, 0, stream>>>(x, y, n);
@@ relu_backward
-    backward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(grad_y, y, grad_x, n);
+    backward_kernel<<<num_blocks_for(n), 2048, 0, stream>>>(grad_y, y, grad_x, n);
