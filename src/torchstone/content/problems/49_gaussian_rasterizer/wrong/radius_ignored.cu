// over: good/counting_rank.cu
// verdict: WA value
// group: radius
// en: Beyond its radius a Gaussian does not count, even where alpha is still large.
// zh: 超出半径的地方不计入，即使那里的 α 还很大。
@@
-    if (place.z <= 0 || fabsf(dx) > place.z || fabsf(dy) > place.z) {
+    if (place.z <= 0) {
