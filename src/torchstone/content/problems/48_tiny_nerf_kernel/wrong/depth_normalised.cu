// over: good/ray_per_thread.cu
// verdict: WA value
// group: sample
// en: Expected depth is the sum of w·t; here it is not divided by the opacity.
// zh: 期望深度就是 w·t 之和，这里不再除以不透明度。
@@
-    depth[ray] = distance;
+    depth[ray] = distance / fmaxf(1.0f - T, 1e-6f);
