// over: solution.cu
// verdict: WA value
// group: edge
// en: Without points there is nothing to search, but every query still has a row to be filled.
// zh: 没有参考点就无须搜索，但每个查询点的那一行仍然要填。
@@
-    if (B == 0 || M == 0) {
+    if (B == 0 || M == 0 || N == 0) {
