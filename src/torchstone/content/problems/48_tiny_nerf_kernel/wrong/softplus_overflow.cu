// over: good/ray_per_thread.cu
// verdict: WA value
// group: opaque
// en: log(1 + e^x) overflows at 88: use max(x, 0) + log1p(e^{−|x|}).
// zh: log(1 + e^x) 在 88 以上溢出：应写成 max(x, 0) + log1p(e^{−|x|})。
@@
-__device__ float softplus(float x) { return fmaxf(x, 0.0f) + log1pf(expf(-fabsf(x))); }
+__device__ float softplus(float x) { return log1pf(expf(x)); }
