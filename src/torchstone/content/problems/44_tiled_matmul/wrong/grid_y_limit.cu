// over: good/classic.cu
// verdict: RTE
// group: tall
// en: gridDim.y is at most 65535; only x goes further.
// zh: gridDim.y 上限是 65535，只有 x 方向可以更大。
@@
-    const int row = blockIdx.x * T + y, col = blockIdx.y * T + x;
+    const int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
@@
-    const dim3 grid((M + T - 1) / T, (N + T - 1) / T), block(T, T);
+    const dim3 grid((N + T - 1) / T, (M + T - 1) / T), block(T, T);
