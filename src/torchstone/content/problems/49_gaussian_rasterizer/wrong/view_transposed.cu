// over: good/counting_rank.cu
// verdict: WA value
// group: project
// en: view is row-major: row i of the rotation is view[4 i] to view[4 i + 2].
// zh: `view` 按行存放：旋转的第 i 行是 `view[4 i]` 到 `view[4 i + 2]`。
@@
-            turned[k] = jacobian[i][0] * v[k] + jacobian[i][1] * v[4 + k] +
-                        jacobian[i][2] * v[8 + k];
+            turned[k] = jacobian[i][0] * v[4 * k] + jacobian[i][1] * v[4 * k + 1] +
+                        jacobian[i][2] * v[4 * k + 2];
