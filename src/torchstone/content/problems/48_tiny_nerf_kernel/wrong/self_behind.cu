// over: good/ray_per_thread.cu
// verdict: WA grad
// group: grad
// en: A sample does not lie behind itself: its share is subtracted before its gradient is taken.
// zh: 采样点并不在自己的后方：求它的梯度之前，要先减去它自己的贡献。
@@
-        behind -= weight * worth;
         grad_raw[0] = sigmoid(sample.raw[0]) * scene.dt * (T * worth - behind);
+        behind -= weight * worth;
