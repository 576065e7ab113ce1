// over: good/ray_per_thread.cu
// verdict: WA grad
// group: opaque
// en: An opaque sample makes 0/0 of T / (1 − α): go front to back and subtract the prefix.
// zh: 透射率不能用 T / (1 − α) 倒推：不透明时是 0/0。应从前向后，减去前缀。
@@
-    const float T_end = 1.0f - given.opacity[ray];
-    // What lies behind the samples already passed, the background included.
-    float behind = grad_depth * given.depth[ray] - grad_opacity * T_end;
-    for (int c = 0; c < 3; c++) {
-        behind += grad_rgb[c] * given.rgb[3 * ray + c];
-    }
     float T = 1.0f;
     for (int i = 0; i < given.steps[ray]; i++) {
+        const Sample sample = look(scene, ray, i);
+        T *= sample.is_inside ? expf(-density_of(sample) * scene.dt) : 1.0f;
+    }
+    // What lies behind the sample at hand: at first the background alone.
+    float behind = -grad_opacity * T;
+    for (int c = 0; c < 3; c++) {
+        behind += grad_rgb[c] * T * scene.bg[c];
+    }
+    for (int i = given.steps[ray] - 1; i >= 0; i--) {
@@
-        const float weight = T * -expm1f(-tau);
+        const float T_before = T / expf(-tau);
+        const float weight = T_before * -expm1f(-tau);
         float worth = grad_depth * sample.t, grad_raw[4];
@@
-        T *= expf(-tau);
-        behind -= weight * worth;
         grad_raw[0] = sigmoid(sample.raw[0]) * scene.dt * (T * worth - behind);
+        behind += weight * worth;
+        T = T_before;
