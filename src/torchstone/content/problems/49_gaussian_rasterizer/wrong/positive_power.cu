// over: good/counting_rank.cu
// verdict: WA value
// group: culled
// en: Where the power is positive the Gaussian is skipped; e^power would exceed 1.
// zh: power 为正时要跳过该高斯，否则 e^power 会大于 1。
@@
-    if (power > 0) {
-        return splat;
-    }
