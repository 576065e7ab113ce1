// over: good/ray_per_thread.cu
// verdict: WA grad
// group: edge
// en: Without rays the gradient is zero, and somebody has to write the zeros.
// zh: 没有光线时梯度为零，而零也得有人写进去。
@@
-    cudaMemsetAsync(grad_field, 0, 4 * sizeof(float) * G * G * G, stream);
     if (R == 0) {
-        return cudaGetLastError();
+        return cudaSuccess;
     }
+    cudaMemsetAsync(grad_field, 0, 4 * sizeof(float) * G * G * G, stream);
