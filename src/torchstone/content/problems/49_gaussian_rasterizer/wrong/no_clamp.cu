// over: good/counting_rank.cu
// verdict: WA value
// group: dense
// en: alpha is at most 0.99: an opaque Gaussian would end its pixel and make 1 - alpha zero.
// zh: α 至多取 0.99：完全不透明的高斯会让像素就此终止，1 - α 变成 0。
@@
-    const float alpha = fminf(0.99f, raw);
+    const float alpha = raw;
