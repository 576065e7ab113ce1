// over: good/thread_per_element.cu
// verdict: WA property
// group: sample
// en: Work on another stream races with whatever produced its input.
// zh: 放到别的流上执行，就会与产生输入的操作竞争。
@@ relu_forward
-    forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, y, n);
+    forward_kernel<<<num_blocks_for(n), 256, 0, 0>>>(x, y, n);
@@ relu_backward
-    backward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(grad_y, y, grad_x, n);
+    backward_kernel<<<num_blocks_for(n), 256, 0, 0>>>(grad_y, y, grad_x, n);
