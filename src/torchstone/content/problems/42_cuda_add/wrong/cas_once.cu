// over: good/cas_loop.cu
// verdict: WA grad
// group: broadcast
// en: A compare-and-swap that fails adds nothing: look at what it returns, and try again.
// zh: 比较并交换失败时什么也没有加上：要看它的返回值，并重试。
@@
-    unsigned seen = *bits, assumed;
-    do {
-        assumed = seen;
-        seen = atomicCAS(bits, assumed, __float_as_uint(__uint_as_float(assumed) + value));
-    } while (seen != assumed);
+    const unsigned assumed = *bits;
+    atomicCAS(bits, assumed, __float_as_uint(__uint_as_float(assumed) + value));
