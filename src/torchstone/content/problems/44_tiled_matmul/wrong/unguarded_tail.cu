// over: good/classic.cu
// verdict: OOB
// group: small
// en: Guard both indices of both loads, and fill with zeros: K has a tail, too.
// zh: 两次加载的两个下标都要判断，越界处填零：K 也有尾部。
@@
-        a[y][x] = row < M && k + x < K ? A[row * lda + k + x] : 0.0f;
-        b[y][x] = k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f;
+        a[y][x] = row < M ? A[row * lda + k + x] : 0.0f;
+        b[y][x] = col < N ? B[(k + y) * ldb + col] : 0.0f;
