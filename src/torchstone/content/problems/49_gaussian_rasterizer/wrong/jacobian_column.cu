// over: good/counting_rank.cu
// verdict: WA value
// group: project
// en: x / z depends on z as well: the third column of the Jacobian is -f x / z^2.
// zh: x / z 也依赖 z：雅可比矩阵的第三列是 -f x / z²。
@@
-    const float jacobian[2][3] = {{fx / z, 0, -fx * px / (z * z)}, {0, fy / z, -fy * py / (z * z)}};
+    const float jacobian[2][3] = {{fx / z, 0, 0}, {0, fy / z, 0}};
