// over: good/classic.cu
// verdict: UNINIT
// group: small
// en: Where nothing is loaded the tile holds what was there before: write a zero.
// zh: 没有加载的位置上，瓦片里还是以前的内容：要写入 0。
@@
-        a[y][x] = row < M && k + x < K ? A[row * lda + k + x] : 0.0f;
-        b[y][x] = k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f;
+        if (row < M && k + x < K) {
+            a[y][x] = A[row * lda + k + x];
+        }
+        if (k + y < K && col < N) {
+            b[y][x] = B[(k + y) * ldb + col];
+        }
