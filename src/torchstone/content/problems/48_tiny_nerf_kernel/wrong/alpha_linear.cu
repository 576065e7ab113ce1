// over: good/ray_per_thread.cu
// verdict: WA value
// group: sample
// en: Absorption is 1 − e^{−σ·dt}; σ·dt itself is only its beginning.
// zh: 吸收率是 1 − e^{−σ·dt}，σ·dt 只是它的一阶近似。
@@
-        const float weight = T * -expm1f(-tau);
+        const float weight = T * fminf(tau, 1.0f);
         for (int c = 0; c < 3; c++) {
@@
         distance += weight * sample.t;
-        T *= expf(-tau);
+        T *= 1.0f - fminf(tau, 1.0f);
@@
-        const float weight = T * -expm1f(-tau);
+        const float weight = T * fminf(tau, 1.0f);
         float worth = grad_depth * sample.t, grad_raw[4];
@@
-        T *= expf(-tau);
+        T *= 1.0f - fminf(tau, 1.0f);
         behind -= weight * worth;
