// over: good/ray_per_thread.cu
// verdict: WA value
// en: Every ray sees the background: cheap, and right for those that miss.
// zh: 每条光线都只看到背景：便宜，而且对打不中的光线还是对的。
@@
-    float colour[3] = {0.0f, 0.0f, 0.0f}, distance = 0.0f, T = 1.0f;
-    int looked_at = 0;
-    while (looked_at < scene.S) {
-        const Sample sample = look(scene, ray, looked_at);
-        looked_at++;
-        if (!sample.is_inside) {
-            continue;
-        }
-        const float tau = density_of(sample) * scene.dt;
-        const float weight = T * -expm1f(-tau);
-        for (int c = 0; c < 3; c++) {
-            colour[c] += weight * colour_of(sample, c);
-        }
-        distance += weight * sample.t;
-        T *= expf(-tau);
-        if (T < scene.T_min) {
-            break;
-        }
-    }
     for (int c = 0; c < 3; c++) {
-        rgb[3 * ray + c] = colour[c] + T * scene.bg[c];
+        rgb[3 * ray + c] = scene.bg[c];
     }
-    depth[ray] = distance;
-    opacity[ray] = 1.0f - T;
-    steps[ray] = looked_at;
+    depth[ray] = opacity[ray] = 0.0f;
+    steps[ray] = scene.S;
