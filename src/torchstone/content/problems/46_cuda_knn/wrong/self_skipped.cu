// over: good/shifted_list.cu
// verdict: WA value
// group: ties
// en: Zero is a distance like any other; whoever wants no self drops it by index.
// zh: 0 也是距离；若要排除自身，应由调用者按下标排除。
@@ knn_kernel
-            if (d < best[K - 1]) {
+            if (d > 0.0f && d < best[K - 1]) {
