// over: good/ray_per_thread.cu
// verdict: WA value
// group: stop
// en: The sample that crosses the threshold still counts; the march ends after it.
// zh: 使透射率越过阈值的那个采样点也要计入，在它之后才停。
@@
+        if (T * expf(-tau) < scene.T_min) {
+            break;
+        }
         const float weight = T * -expm1f(-tau);
         for (int c = 0; c < 3; c++) {
@@
-        if (T < scene.T_min) {
-            break;
-        }
