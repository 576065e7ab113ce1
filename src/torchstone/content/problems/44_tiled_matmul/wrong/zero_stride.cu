// over: good/classic.cu
// verdict: OOB | WA property
// group: edge
// en: A row stride is at least 1, also where a row has no element.
// zh: 行跨度至少为 1，哪怕一行里一个元素也没有。
@@
-static bool fits(int stride, int width) { return stride >= (width > 1 ? width : 1); }
+static bool fits(int stride, int width) { return stride >= width; }
