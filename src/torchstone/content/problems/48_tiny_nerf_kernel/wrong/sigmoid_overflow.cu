// over: good/ray_per_thread.cu
// verdict: WA value
// group: opaque
// en: e^x / (1 + e^x) is inf/inf, and so NaN, for large x; 1 / (1 + e^{−x}) is right everywhere.
// zh: x 很大时 e^x / (1 + e^x) 是 inf/inf，得 NaN；1 / (1 + e^{−x}) 处处正确。
@@
-__device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
+__device__ float sigmoid(float x) { return expf(x) / (1.0f + expf(x)); }
