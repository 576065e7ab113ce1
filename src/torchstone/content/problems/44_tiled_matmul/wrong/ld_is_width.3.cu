// over: good/classic.cu
// verdict: WA value
// group: layout
// en: Row stride and width are two numbers.
// zh: 行跨度与宽度是两回事。
@@ The stride of A alone.
-        a[y][x] = row < M && k + x < K ? A[row * lda + k + x] : 0.0f;
+        a[y][x] = row < M && k + x < K ? A[row * static_cast<long long>(K) + k + x] : 0.0f;
