// over: good/ray_per_thread.cu
// verdict: WA value
// group: sample
// en: A sample stands in the middle of its interval: midpoints make the quadrature second order.
// zh: 采样点取在区间中点：中点法才有二阶精度。
@@
-    sample.t = scene.t_near + (i + 0.5f) * scene.dt;
+    sample.t = scene.t_near + i * scene.dt;
