// over: good/shifted_list.cu
// verdict: WA value
// group: ties
// en: Only what is strictly farther moves back; equals stay where they are.
// zh: 只有严格更远的才往后移，距离相等的保持原位。
@@ knn_kernel
-                for (; k > 0 && best[k - 1] > d; k--) {
+                for (; k > 0 && best[k - 1] >= d; k--) {
