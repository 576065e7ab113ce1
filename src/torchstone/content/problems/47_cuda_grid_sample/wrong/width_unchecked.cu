// over: solution.cu
// verdict: OOB | WA property
// group: errors
// en: Both sizes of the image are checked, not the first alone.
// zh: 图像的高和宽都要检查，不能只看前一个。
@@
-    const bool has_sizes = shape.N >= 0 && shape.C >= 0 && shape.H >= 1 && shape.W >= 1 &&
+    const bool has_sizes = shape.N >= 0 && shape.C >= 0 && shape.H >= 1 &&
