// over: good/counting_rank.cu
// verdict: WA value
// group: small
// en: Pixel (i, j) has its centre at (j + 0.5, i + 0.5).
// zh: 像素 (i, j) 的中心在 (j + 0.5, i + 0.5)。
@@
-    Splat splat = {place.x - (x + 0.5f), place.y - (y + 0.5f), 0, 0, false};
+    Splat splat = {place.x - x, place.y - y, 0, 0, false};
