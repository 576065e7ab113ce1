// over: good/classic.cu
// verdict: CE
// en: A macro makes every barrier vanish.
// zh: 用宏让所有屏障消失。
@@
+#define __syncthreads() ((void)0)
+
 constexpr int T = 16;
