// over: good/classic.cu
// verdict: WA property
// group: edge
// en: Bad strides are refused first, even where there is nothing to compute.
// zh: 先检查行跨度是否合法，即使没有什么可算。
@@
-    if (M < 0 || N < 0 || K < 0 || !fits(lda, K) || !fits(ldb, N) || !fits(ldc, N)) {
-        return cudaErrorInvalidValue;
-    }
     if (M == 0 || N == 0) {
         return cudaSuccess;
     }
+    if (M < 0 || N < 0 || K < 0 || !fits(lda, K) || !fits(ldb, N) || !fits(ldc, N)) {
+        return cudaErrorInvalidValue;
+    }
