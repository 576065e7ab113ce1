// over: good/ray_per_thread.cu
// verdict: WA grad
// group: grad
// en: Density dims what lies behind it, its own far side included: T after the sample, not before.
// zh: 密度使其后方变暗，自己的后半段也在内：应取该采样点之后的透射率，而不是之前的。
@@
-        T *= expf(-tau);
         behind -= weight * worth;
         grad_raw[0] = sigmoid(sample.raw[0]) * scene.dt * (T * worth - behind);
+        T *= expf(-tau);
