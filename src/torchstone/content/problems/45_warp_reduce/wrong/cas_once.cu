// over: good/atomic_per_block.cu
// verdict: WA value
// group: small
// en: A compare-and-swap that fails adds nothing: look at what it returns, and try again.
// zh: 比较并交换失败时什么也没有加上：要看它的返回值，并重试。
@@
-        atomicAdd(out, sum);
+        unsigned* const bits = reinterpret_cast<unsigned*>(out);
+        const unsigned before = *bits;
+        atomicCAS(bits, before, __float_as_uint(__uint_as_float(before) + sum));
