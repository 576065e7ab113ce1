// over: good/thread_per_element.cu
// verdict: WA value
// group: small
// en: A static of the host outlives the call: the grid of the first call is no grid for the next.
// zh: 主机端的静态变量在调用结束后依然存在：第一次调用的网格并不适合下一次。
@@ relu_forward
-    forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, y, n);
+    static const unsigned num_blocks = num_blocks_for(n);
+    forward_kernel<<<num_blocks, 256, 0, stream>>>(x, y, n);
@@ relu_backward
-    backward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(grad_y, y, grad_x, n);
+    static const unsigned num_blocks = num_blocks_for(n);
+    backward_kernel<<<num_blocks, 256, 0, stream>>>(grad_y, y, grad_x, n);
