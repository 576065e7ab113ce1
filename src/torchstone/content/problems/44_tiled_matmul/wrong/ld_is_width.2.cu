// over: good/classic.cu
// verdict: WA value
// group: layout
// en: Row stride and width are two numbers.
// zh: 行跨度与宽度是两回事。
@@ The stride of B alone.
-        b[y][x] = k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f;
+        b[y][x] = k + y < K && col < N ? B[(k + y) * static_cast<long long>(N) + col] : 0.0f;
