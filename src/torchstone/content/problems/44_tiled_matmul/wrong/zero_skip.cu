// over: good/classic.cu
// verdict: WA value
// group: edge
// en: 0 times infinity is NaN: a zero may not be skipped.
// zh: 0·∞ 是 NaN：遇到 0 也不能跳过。
@@
-            sum += a[y][i] * b[i][x];
+            if (a[y][i] != 0.0f) {
+                sum += a[y][i] * b[i][x];
+            }
