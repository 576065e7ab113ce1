// over: solution.cu
// verdict: WA value
// group: special
// en: fmaxf returns the number when the other argument is NaN; torch keeps NaN.
// zh: 两个参数中有一个是 NaN 时，fmaxf 返回另一个数；torch 则保留 NaN。
@@ Only where elements are taken one by one.
-        y[place] = relu(x[place]);
+        y[place] = fmaxf(x[place], 0.0f);
