// over: good/classic.cu
// verdict: WA property
// group: sample
// en: Work on another stream races with whatever produced its input.
// zh: 放到别的流上执行，就会与产生输入的操作竞争。
@@
-    matmul_kernel<<<grid, block, 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K);
+    matmul_kernel<<<grid, block>>>(A, lda, B, ldb, C, ldc, M, N, K);
