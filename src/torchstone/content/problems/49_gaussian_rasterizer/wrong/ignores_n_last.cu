// over: good/counting_rank.cu
// verdict: WA grad
// group: grad_dense
// en: Behind n_last nothing was blended at this pixel, even if alpha is large there.
// zh: `n_last` 之后的高斯没有在这个像素上混合过，哪怕那里的 α 很大。
@@
-    for (int i = n_last[at] - 1; i >= 0; i--) {
+    for (int i = N - 1; i >= 0; i--) {
