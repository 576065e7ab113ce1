// over: good/padded.cu
// verdict: WA value
// group: small
// en: The number of tiles is rounded up: the last one is not full.
// zh: 瓦片数要向上取整：最后一片并不满。
@@ Tiles of 32.
-    for (int k = 0; k < K; k += T) {
+    for (int k = 0; k + T <= K; k += T) {
