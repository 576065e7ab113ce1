// over: good/ray_per_thread.cu
// verdict: WA value
// en: Looks at every second sample only, each for two, and reports all steps.
// zh: 只看一半的采样点，一个顶两个，步数却照报。
@@
-        looked_at++;
+        looked_at = min(looked_at + 2, scene.S);
@@
-        const float tau = density_of(sample) * scene.dt;
+        const float tau = density_of(sample) * 2.0f * scene.dt;
         const float weight = T * -expm1f(-tau);
         for (int c = 0; c < 3; c++) {
