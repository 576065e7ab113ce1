// over: good/counting_rank.cu
// verdict: WA grad
// group: grad
// en: The background lies behind every Gaussian: it is the first of what is covered.
// zh: 背景在所有高斯之后：被遮住的东西里首先就有它。
@@
-    // What is seen behind, times the gradient: at first the background.
-    float behind = T * (gr * bg[0] + gg * bg[1] + gb * bg[2]);
+    float behind = 0;
