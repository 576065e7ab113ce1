// over: good/ray_per_thread.cu
// verdict: UNINIT
// group: grad
// en: grad_field comes with anything in it: who adds to it has to zero it first.
// zh: grad_field 里原有的内容是任意的：要往里累加，就得先清零。
@@
-    cudaMemsetAsync(grad_field, 0, 4 * sizeof(float) * G * G * G, stream);
     if (R == 0) {
-        return cudaGetLastError();
+        return cudaMemsetAsync(grad_field, 0, 4 * sizeof(float) * G * G * G, stream);
