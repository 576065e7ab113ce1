// over: good/classic.cu
// verdict: WA value
// group: layout
// en: Row stride and width are two numbers.
// zh: 行跨度与宽度是两回事。
@@ The stride of C alone.
-        C[row * ldc + col] = sum;
+        C[row * static_cast<long long>(N) + col] = sum;
