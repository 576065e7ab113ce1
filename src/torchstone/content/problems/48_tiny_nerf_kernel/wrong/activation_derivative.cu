// over: good/ray_per_thread.cu
// verdict: WA grad
// group: grad
// en: The lattice holds raw values: softplus and sigmoid have derivatives, too.
// zh: 格点存的是原始值：softplus 和 sigmoid 的导数也要乘上。
@@
-            grad_raw[1 + c] = weight * grad_rgb[c] * colour * (1.0f - colour);
+            grad_raw[1 + c] = weight * grad_rgb[c];
@@
-        grad_raw[0] = sigmoid(sample.raw[0]) * scene.dt * (T * worth - behind);
+        grad_raw[0] = scene.dt * (T * worth - behind);
