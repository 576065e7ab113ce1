// over: good/counting_rank.cu
// verdict: WA value
// group: project
// en: Outputs are not zeroed before: a culled Gaussian has to be written as zeros.
// zh: 输出事先没有清零：被剔除的高斯也要写成 0。
@@
-    xy[2 * n] = xy[2 * n + 1] = 0.0f;
-    conic[3 * n] = conic[3 * n + 1] = conic[3 * n + 2] = 0.0f;
-    radius[n] = 0.0f;
