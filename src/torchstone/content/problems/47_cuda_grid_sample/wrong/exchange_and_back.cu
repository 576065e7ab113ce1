// over: solution.cu
// verdict: WA grad
// group: small
// en: Two exchanges are two operations: what other samples add between them is overwritten.
// zh: 两次 exchange 是两个操作：别的样本在其间加上的值会被覆盖。
@@
-                    atomicAdd(&grad_input[pixel], corners.weight[k] * g);
+                    const float before = atomicExch(&grad_input[pixel], 0.0f);
+                    atomicExch(&grad_input[pixel], before + corners.weight[k] * g);
