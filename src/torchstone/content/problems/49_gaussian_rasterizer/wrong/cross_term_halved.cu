// over: good/counting_rank.cu
// verdict: WA value
// group: small
// en: B stands twice in the quadratic form, so half of it twice is the whole.
// zh: 二次型里交叉项 B 出现两次，乘 1/2 后正好剩一个。
@@
-    const float power = -0.5f * (conic.x * dx * dx + conic.z * dy * dy) - conic.y * dx * dy;
+    const float power = 
+        -0.5f * (conic.x * dx * dx + conic.z * dy * dy + conic.y * dx * dy);
