// over: good/ray_per_thread.cu
// verdict: SLOW
// en: Marches on to S after the stop and hides what it reads: by atomics, which are no loads.
// zh: 停下之后仍一直走到 S，并用原子操作代替加载来掩盖读取。
@@
-            sample.raw[c] += weight * scene.field[4 * node + c];
+            // Nothing is added: what comes back is all that is wanted.
+            float* const value = const_cast<float*>(scene.field) + 4 * node + c;
+            sample.raw[c] += weight * atomicAdd(value, -0.0f);
@@
-    int looked_at = 0;
-    while (looked_at < scene.S) {
-        const Sample sample = look(scene, ray, looked_at);
-        looked_at++;
-        if (!sample.is_inside) {
+    int looked_at = scene.S;
+    for (int i = 0; i < scene.S; i++) {
+        const Sample sample = look(scene, ray, i);
+        if (!sample.is_inside || looked_at < scene.S) {
@@
-            break;
+            looked_at = i + 1;
