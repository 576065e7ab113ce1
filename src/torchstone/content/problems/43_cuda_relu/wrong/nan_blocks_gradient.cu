// over: good/thread_per_element.cu
// verdict: WA grad
// group: special
// en: NaN <= 0 is false, so torch lets the gradient through; NaN > 0 is false as well.
// zh: NaN <= 0 为假，所以 torch 让梯度通过；而 NaN > 0 同样为假，写成 y > 0 就拦住了。
@@ backward_kernel
-        grad_x[i] = y[i] <= 0.0f ? 0.0f : grad_y[i];
+        grad_x[i] = y[i] > 0.0f ? grad_y[i] : 0.0f;
