// over: good/classic.cu
// verdict: SLOW
// group: perf
// en: Reuse is loads per multiply-add, not the keyword __shared__.
// zh: 复用看的是每次乘加的加载数，而不是有没有写 `__shared__`。
@@
-    for (int k = 0; k < K; k += T) {
-        a[y][x] = row < M && k + x < K ? A[row * lda + k + x] : 0.0f;
-        b[y][x] = k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f;
-        __syncthreads();
-        for (int i = 0; i < T; i++) {
-            sum += a[y][i] * b[i][x];
-        }
-        __syncthreads();
+    for (int k = 0; k < K; k++) {
+        a[y][x] = row < M ? A[row * lda + k] : 0.0f;
+        b[y][x] = col < N ? B[k * ldb + col] : 0.0f;
+        sum += a[y][x] * b[y][x];
