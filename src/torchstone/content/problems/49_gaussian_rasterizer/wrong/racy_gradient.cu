// over: good/counting_rank.cu
// verdict: RACE
// group: grad
// en: Many pixels add to the same Gaussian: that takes an atomic, += loses some.
// zh: 许多像素往同一个高斯上累加：要用原子操作，`+=` 会丢失一部分。
@@
-        atomicAdd(&grad_opacity[n], splat.falloff * grad_alpha);
+        grad_opacity[n] += splat.falloff * grad_alpha;
