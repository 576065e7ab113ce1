// over: good/ray_per_thread.cu
// verdict: WA value
// group: sample
// en: The background is the last layer: it lies behind every sample.
// zh: 背景是最后一层，位于所有采样点的后方。
@@ In the forward alone.
-        rgb[3 * ray + c] = colour[c] + T * scene.bg[c];
+        rgb[3 * ray + c] = colour[c];
