// over: good/classic.cu
// verdict: RTE | WA property | OOB
// group: edge
// en: A negative size makes a grid of billions of blocks: refuse it before the launch.
// zh: 尺寸为负会算出上亿个线程块的网格：应在启动之前拒绝。
@@
-    if (M < 0 || N < 0 || K < 0 || !fits(lda, K) || !fits(ldb, N) || !fits(ldc, N)) {
+    if (!fits(lda, K) || !fits(ldb, N) || !fits(ldc, N)) {
