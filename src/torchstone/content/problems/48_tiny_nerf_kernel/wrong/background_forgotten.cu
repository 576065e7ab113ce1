// over: good/ray_per_thread.cu
// verdict: WA grad
// group: grad
// en: The background is the last layer: it lies behind every sample.
// zh: 背景是最后一层，位于所有采样点的后方。
@@
-        behind += grad_rgb[c] * given.rgb[3 * ray + c];
+        behind += grad_rgb[c] * (given.rgb[3 * ray + c] - T_end * scene.bg[c]);
