// over: good/ray_per_thread.cu
// verdict: WA value
// group: sample
// en: Absorption is 1 − e^{−σ·dt}; σ·dt itself is only its beginning.
// zh: 吸收率是 1 − e^{−σ·dt}，σ·dt 只是它的一阶近似。
@@ In the forward alone, and T is right.
         const float tau = density_of(sample) * scene.dt;
-        const float weight = T * -expm1f(-tau);
+        const float weight = T * tau;
         for (int c = 0; c < 3; c++) {
