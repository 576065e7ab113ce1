// over: good/ray_per_thread.cu
// verdict: WA property
// group: grad
// en: A memset on another stream may run after the kernel.
// zh: 放在别的流上的 memset 可能晚于核函数执行。
@@
-    cudaMemsetAsync(grad_field, 0, 4 * sizeof(float) * G * G * G, stream);
+    cudaMemsetAsync(grad_field, 0, 4 * sizeof(float) * G * G * G);
