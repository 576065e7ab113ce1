// over: good/classic.cu
// verdict: OOB
// group: small
// en: A load is guarded by its own indices, row and k, not by those of the output.
// zh: 加载只看自己的下标（行与 k），不看输出的下标。
@@
-        a[y][x] = row < M && k + x < K ? A[row * lda + k + x] : 0.0f;
+        a[y][x] = row < M && col < N ? A[row * lda + k + x] : 0.0f;
