// over: good/ray_per_thread.cu
// verdict: WA grad
// group: thin
// en: The slope of softplus is 1 − e^{−σ} on paper; in float nothing is left of it where σ is tiny.
// zh: softplus 的导数在纸上等于 1 − e^{−σ}；σ 很小时，用 float 相减就什么也不剩。
@@
-        grad_raw[0] = sigmoid(sample.raw[0]) * scene.dt * (T * worth - behind);
+        grad_raw[0] = (1.0f - expf(-density_of(sample))) * scene.dt * (T * worth - behind);
