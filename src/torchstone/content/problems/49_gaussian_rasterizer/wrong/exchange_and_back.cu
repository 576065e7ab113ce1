// over: good/counting_rank.cu
// verdict: WA grad
// group: grad
// en: Two exchanges are two operations: what other pixels add between them is overwritten.
// zh: 两次 exchange 是两个操作：别的像素在其间加上的值会被覆盖。
@@
-        atomicAdd(&grad_opacity[n], splat.falloff * grad_alpha);
+        const float before = atomicExch(&grad_opacity[n], 0.0f);
+        atomicExch(&grad_opacity[n], before + splat.falloff * grad_alpha);
