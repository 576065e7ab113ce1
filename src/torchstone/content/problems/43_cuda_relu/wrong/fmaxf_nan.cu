// over: good/thread_per_element.cu
// verdict: WA value
// group: special
// en: fmaxf returns the number when the other argument is NaN; torch keeps NaN.
// zh: 两个参数中有一个是 NaN 时，fmaxf 返回另一个数；torch 则保留 NaN。
@@ forward_kernel
-        y[i] = x[i] < 0.0f ? 0.0f : x[i];
+        y[i] = fmaxf(x[i], 0.0f);
