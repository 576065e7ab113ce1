// over: good/counting_rank.cu
// verdict: WA value
// group: project
// en: The inverse of [[a, b], [b, c]] is [[c, -b], [-b, a]] / det: the diagonal changes places.
// zh: [[a, b], [b, c]] 的逆是 [[c, -b], [-b, a]] / det：对角元要交换。
@@
-    conic[3 * n] = c / det;
+    conic[3 * n] = a / det;
     conic[3 * n + 1] = -b / det;
-    conic[3 * n + 2] = a / det;
+    conic[3 * n + 2] = c / det;
