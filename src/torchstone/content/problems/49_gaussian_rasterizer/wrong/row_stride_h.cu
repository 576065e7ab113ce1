// over: good/counting_rank.cu
// verdict: OOB | RACE | WA value
// group: small
// en: A row of the image has W pixels: pixel (i, j) is number i W + j.
// zh: 图像一行有 W 个像素：像素 (i, j) 的编号是 i W + j。
@@
-        const int at = y * W + x;
+        const int at = y * H + x;
