// over: solution.cu
// verdict: WA value
// group: large_coord
// en: As often as it takes: no fixed number of bounces is enough for every position.
// zh: 需要多少次就反射多少次：固定的次数总有不够的时候。
@@
-    const float way = fmodf(fabsf(position - low), 2.0f * span);
+    float way = fabsf(position - low);
+    for (int i = 0; i < 16 && way > 2.0f * span; i++) {
+        way -= 2.0f * span;
+    }
