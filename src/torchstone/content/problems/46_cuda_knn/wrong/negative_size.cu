// over: solution.cu
// verdict: WA property
// group: edge
// en: A negative size is the caller's mistake and is told so; it is not the size 0.
// zh: 尺寸为负是调用者的错误，应当报告，而不是当作 0。
@@
-    if (B < 0 || M < 0 || N < 0 || K < 1 || K > most_neighbours) {
+    if (N < 0 || K < 1 || K > most_neighbours) {
         return cudaErrorInvalidValue;
     }
-    if (B == 0 || M == 0) {
+    if (B <= 0 || M <= 0) {
