// over: good/classic.cu
// verdict: WA value
// group: edge
// en: Zero times what a clamped index reads is 0 only if that is finite: both tiles want zeros.
// zh: 把下标截到末行再乘 0，只有读到有限值时才得 0：两片瓦片都要填零。
@@
-        b[y][x] = k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f;
+        b[y][x] = col < N ? B[(k + y < K ? k + y : K - 1) * ldb + col] : 0.0f;
