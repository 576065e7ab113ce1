// over: good/counting_rank.cu
// verdict: RACE
// group: small
// en: A thread outside of the image still has to reach every barrier of its block.
// zh: 图像之外的线程也必须到达线程块的每一个屏障。
@@
-    const bool is_inside = x < W && y < H;
-    bool is_done = !is_inside;
+    if (x >= W || y >= H) {
+        return;
+    }
+    bool is_done = false;
@@
-    if (is_inside) {
-        const int at = y * W + x;
-        image[3 * at] = red + T * bg[0];
-        image[3 * at + 1] = green + T * bg[1];
-        image[3 * at + 2] = blue + T * bg[2];
-        final_T[at] = T;
-        n_last[at] = last;
-    }
+    const int at = y * W + x;
+    image[3 * at] = red + T * bg[0];
+    image[3 * at + 1] = green + T * bg[1];
+    image[3 * at + 2] = blue + T * bg[2];
+    final_T[at] = T;
+    n_last[at] = last;
