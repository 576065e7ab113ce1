// over: good/ray_per_thread.cu
// verdict: SLOW
// group: perf
// en: A ray that has stopped needs no more of the lattice: leave the loop, do not just mask sums.
// zh: 光线停下之后就不必再读格点：应当跳出循环，而不只是不再累加。
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
