// over: good/counting_rank.cu
// verdict: WA grad
// group: grad
// en: The derivative of opacity e^power with respect to opacity is e^power, not alpha.
// zh: opacity·e^power 对 opacity 的导数是 e^power，不是 α。
@@
-        atomicAdd(&grad_opacity[n], splat.falloff * grad_alpha);
+        atomicAdd(&grad_opacity[n], alpha * grad_alpha);
