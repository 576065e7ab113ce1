// over: good/ray_per_thread.cu
// verdict: WA value
// group: sample
// en: Interpolate raw values, then activate: that is how a coarse lattice has sharp surfaces.
// zh: 先对原始值插值，再做激活：粗格点上才能表示锐利的表面。
@@
-__device__ float density_of(const Sample& sample) { return softplus(sample.raw[0]); }
-__device__ float colour_of(const Sample& sample, int c) { return sigmoid(sample.raw[1 + c]); }
+__device__ float density_of(const Sample& sample) { return sample.raw[0]; }
+__device__ float colour_of(const Sample& sample, int c) { return sample.raw[1 + c]; }
@@
-            sample.raw[c] += weight * scene.field[4 * node + c];
+            const float raw = scene.field[4 * node + c];
+            sample.raw[c] += weight * (c == 0 ? softplus(raw) : sigmoid(raw));
@@
-        grad_raw[0] = sigmoid(sample.raw[0]) * scene.dt * (T * worth - behind);
+        grad_raw[0] = -expm1f(-sample.raw[0]) * scene.dt * (T * worth - behind);
