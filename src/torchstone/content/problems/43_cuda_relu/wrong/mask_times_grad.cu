// over: good/thread_per_element.cu
// verdict: WA grad
// group: special
// en: inf times 0 is NaN: select the gradient, do not multiply it by a mask.
// zh: inf 乘 0 得 NaN：应当用条件选择梯度，而不是乘以掩码。
@@ backward_kernel
-        grad_x[i] = y[i] <= 0.0f ? 0.0f : grad_y[i];
+        grad_x[i] = grad_y[i] * (y[i] <= 0.0f ? 0.0f : 1.0f);
