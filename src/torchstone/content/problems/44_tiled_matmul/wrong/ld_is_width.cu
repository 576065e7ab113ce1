// over: good/classic.cu
// verdict: WA value
// group: layout
// en: Row stride and width are two numbers.
// zh: 行跨度与宽度是两回事。
@@
-        a[y][x] = row < M && k + x < K ? A[row * lda + k + x] : 0.0f;
-        b[y][x] = k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f;
+        a[y][x] = row < M && k + x < K ? A[row * static_cast<long long>(K) + k + x] : 0.0f;
+        b[y][x] = k + y < K && col < N ? B[(k + y) * static_cast<long long>(N) + col] : 0.0f;
@@
-        C[row * ldc + col] = sum;
+        C[row * static_cast<long long>(N) + col] = sum;
