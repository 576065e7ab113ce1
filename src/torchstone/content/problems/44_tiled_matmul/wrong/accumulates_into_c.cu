// over: good/classic.cu
// verdict: UNINIT
// group: sample
// en: C is output only: what lies in it is no summand.
// zh: C 只输出：里面原有的内容不参与求和。
@@
-        C[row * ldc + col] = sum;
+        C[row * ldc + col] += sum;
