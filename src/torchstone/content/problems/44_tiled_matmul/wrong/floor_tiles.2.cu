// over: good/dynamic_tile.cu
// verdict: WA value
// group: sample
// en: The number of tiles is rounded up: the last one is not full.
// zh: 瓦片数要向上取整：最后一片并不满。
@@ Tiles of 8, 24 or 32.
-    for (int first = 0; first < k; first += tile) {
+    for (int first = 0; first + tile <= k; first += tile) {
