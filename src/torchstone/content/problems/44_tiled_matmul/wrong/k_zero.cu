// over: good/classic.cu
// verdict: WA value
// group: edge
// en: An empty sum is 0 and must be written.
// zh: 空和为 0，也要写出来。
@@
-    if (M == 0 || N == 0) {
+    if (M == 0 || N == 0 || K == 0) {
