// over: good/thread_per_element.cu
// verdict: RTE
// group: edge
// en: A grid of zero blocks is an invalid configuration: return before the launch when n is 0.
// zh: 0 个线程块的网格是非法配置：n 为 0 时应在启动之前返回。
@@ relu_forward
-    if (n == 0) {
-        return cudaSuccess;
-    }
     forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, y, n);
@@ relu_backward
-    if (n == 0) {
-        return cudaSuccess;
-    }
     backward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(grad_y, y, grad_x, n);
