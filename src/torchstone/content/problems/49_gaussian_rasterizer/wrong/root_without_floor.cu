// over: good/counting_rank.cu
// verdict: WA value
// group: project
// en: Under the root stands at least 0.1: a round Gaussian still gets a little more radius.
// zh: 根号下至少是 0.1：接近圆形的高斯，半径也要略大一些。
@@
-    radius[n] = ceilf(3.0f * sqrtf(mean + sqrtf(fmaxf(0.1f, mean * mean - det))));
+    radius[n] = ceilf(3.0f * sqrtf(mean + sqrtf(fmaxf(0.0f, mean * mean - det))));
