// over: solution.cu
// verdict: WA value
// group: ties
// en: As bits -0 lies below 0; as floats they are equal, and the index decides.
// zh: 按位比较，−0 排在 0 之前；按浮点数比较，两者相等，由下标决定。
@@
-    const uint32_t bits = __float_as_uint(depth + 0.0f);
+    const uint32_t bits = __float_as_uint(depth);
