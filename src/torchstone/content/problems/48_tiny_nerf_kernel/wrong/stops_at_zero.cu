// over: good/ray_per_thread.cu
// verdict: WA value
// group: opaque
// en: Below T_min, not at it: with T_min = 0 the march goes on even where T is 0.
// zh: 低于 T_min 才停，等于不停：T_min = 0 时，即使 T 已经是 0 也要走完。
@@
-        if (T < scene.T_min) {
+        if (T <= scene.T_min) {
