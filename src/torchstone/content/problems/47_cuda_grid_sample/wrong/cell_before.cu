// over: solution.cu
// verdict: WA grad
// group: large_coord
// en: On a pixel's centre the cell begins at this pixel: ceil(p) - 1 is the cell before it.
// zh: 恰好落在像素中心时，单元格从这个像素开始：ceil(p) − 1 得到的是它前面那一格。
@@
-    const float left = floorf(x.position), top = floorf(y.position);
+    const float left = ceilf(x.position) - 1.0f, top = ceilf(y.position) - 1.0f;
