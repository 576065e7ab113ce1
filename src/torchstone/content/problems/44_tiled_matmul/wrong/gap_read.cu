// over: good/classic.cu
// verdict: WA value | OOB
// group: layout
// en: A row of A ends at K; what lies between K and lda is no zero.
// zh: A 的一行止于 K；从 K 到 lda 之间放着的并不是零。
@@
-        a[y][x] = row < M && k + x < K ? A[row * lda + k + x] : 0.0f;
+        a[y][x] = row < M && k + x < lda ? A[row * lda + k + x] : 0.0f;
