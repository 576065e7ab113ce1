// over: good/counting_rank.cu
// verdict: WA value
// group: ties
// en: As unsigned bits negative floats lie above all others and run backwards; flip them.
// zh: 按无符号位比较，负数比正数大，而且次序是反的；要先翻转。
@@
-    const float mine = depth[n];
+    const unsigned mine = __float_as_uint(depth[n]);
     int rank = 0;
     for (int i = 0; i < N; i++) {
-        const float other = depth[i];
+        const unsigned other = __float_as_uint(depth[i]);
