// over: good/atomic_per_block.cu
// verdict: UNINIT
// group: small
// en: Atomics add to what is there; out arrives full of garbage.
// zh: 原子加会加在旧值上，而 `out` 起初是垃圾值。
@@
-    cudaMemsetAsync(out, 0, sizeof(float), stream);
     if (n == 0) {
+        cudaMemsetAsync(out, 0, sizeof(float), stream);
