// over: good/classic.cu
// verdict: OOB
// group: layout
// en: A store is guarded by N: between N and ldc, and behind the last row, nothing is yours.
// zh: 写回要用 N 判断：N 到 ldc 之间，以及末行之后，都不属于你。
@@
-    if (row < M && col < N) {
+    if (row < M && col < ldc) {
