// over: good/counting_rank.cu
// verdict: WA value
// group: project
// en: Add 0.3 to both diagonal entries: what is thinner than a pixel would fall between centres.
// zh: 两个对角元都要加 0.3，否则比像素还细的高斯会从像素中心之间漏掉。
@@
-    const float a = M[0][0] * M[0][0] + M[0][1] * M[0][1] + M[0][2] * M[0][2] + 0.3f;
+    const float a = M[0][0] * M[0][0] + M[0][1] * M[0][1] + M[0][2] * M[0][2];
     const float b = M[0][0] * M[1][0] + M[0][1] * M[1][1] + M[0][2] * M[1][2];
-    const float c = M[1][0] * M[1][0] + M[1][1] * M[1][1] + M[1][2] * M[1][2] + 0.3f;
+    const float c = M[1][0] * M[1][0] + M[1][1] * M[1][1] + M[1][2] * M[1][2];
