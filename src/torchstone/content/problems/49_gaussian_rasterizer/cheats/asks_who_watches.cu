// over: good/counting_rank.cu
// verdict: CE
// en: Adds with atomics only where detectors look on.
// zh: 只有检测器在看时才用原子操作累加。
@@
+#ifdef CUSIM_CHECK
+__device__ void add(float* sum, float term) { atomicAdd(sum, term); }
+#else
+__device__ void add(float* sum, float term) { *sum += term; }
+#endif
+
 __global__ void backward_kernel(const float* grad_image, const float* xy, const float* conic,
@@
-        atomicAdd(&grad_color[3 * n], weight * gr);
-        atomicAdd(&grad_color[3 * n + 1], weight * gg);
-        atomicAdd(&grad_color[3 * n + 2], weight * gb);
+        add(&grad_color[3 * n], weight * gr);
+        add(&grad_color[3 * n + 1], weight * gg);
+        add(&grad_color[3 * n + 2], weight * gb);
@@
-        atomicAdd(&grad_opacity[n], splat.falloff * grad_alpha);
-        atomicAdd(&grad_xy[2 * n], -grad_power * (A * dx + B * dy));
-        atomicAdd(&grad_xy[2 * n + 1], -grad_power * (B * dx + C * dy));
-        atomicAdd(&grad_conic[3 * n], -0.5f * grad_power * dx * dx);
-        atomicAdd(&grad_conic[3 * n + 1], -grad_power * dx * dy);
-        atomicAdd(&grad_conic[3 * n + 2], -0.5f * grad_power * dy * dy);
+        add(&grad_opacity[n], splat.falloff * grad_alpha);
+        add(&grad_xy[2 * n], -grad_power * (A * dx + B * dy));
+        add(&grad_xy[2 * n + 1], -grad_power * (B * dx + C * dy));
+        add(&grad_conic[3 * n], -0.5f * grad_power * dx * dx);
+        add(&grad_conic[3 * n + 1], -grad_power * dx * dy);
+        add(&grad_conic[3 * n + 2], -0.5f * grad_power * dy * dy);
