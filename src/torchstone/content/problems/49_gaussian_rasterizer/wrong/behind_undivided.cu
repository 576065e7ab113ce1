// over: good/counting_rank.cu
// verdict: WA grad
// group: grad
// en: What lies behind was seen through 1 - alpha; its derivative has to be divided by it.
// zh: 后面的内容是透过 1 - α 看到的，求导时要再除以它。
@@
-        const float grad_alpha = dot * T - behind / (1 - alpha);
+        const float grad_alpha = dot * T - behind;
