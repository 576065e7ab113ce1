// over: good/thread_per_element.cu
// verdict: WA grad
// group: grad
// en: torch takes the subgradient 0 at 0: where y is 0 nothing passes.
// zh: torch 在 0 处取次梯度 0：y 为 0 的位置不传梯度。
@@ backward_kernel
-        grad_x[i] = y[i] <= 0.0f ? 0.0f : grad_y[i];
+        grad_x[i] = y[i] < 0.0f ? 0.0f : grad_y[i];
