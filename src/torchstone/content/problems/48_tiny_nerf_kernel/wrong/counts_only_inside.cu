// over: good/ray_per_thread.cu
// verdict: WA value
// group: sample
// en: A sample outside of the cube contributes nothing, but it is a step like any other.
// zh: 立方体之外的采样点没有贡献，但它仍然算一步。
@@
-    while (looked_at < scene.S) {
-        const Sample sample = look(scene, ray, looked_at);
-        looked_at++;
+    for (int i = 0; i < scene.S; i++) {
+        const Sample sample = look(scene, ray, i);
@@
+        looked_at++;
         const float tau = density_of(sample) * scene.dt;
         const float weight = T * -expm1f(-tau);
         for (int c = 0; c < 3; c++) {
