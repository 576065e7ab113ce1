// over: good/classic.cu
// verdict: WA property
// group: edge
// en: A matrix without elements needs no memory, and its pointer may be null.
// zh: 没有元素的矩阵不需要内存，它的指针可以是空指针。
@@
-    if (M < 0 || N < 0 || K < 0 || !fits(lda, K) || !fits(ldb, N) || !fits(ldc, N)) {
+    if (M < 0 || N < 0 || K < 0 || !fits(lda, K) || !fits(ldb, N) || !fits(ldc, N) || !A || !B ||
+        !C) {
