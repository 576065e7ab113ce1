// over: good/ray_per_thread.cu
// verdict: WA grad
// group: grad
// en: opacity is 1 − T: a gradient of it pulls T the other way.
// zh: opacity 是 1 − T：它的梯度对 T 而言要变号。
@@
-    float behind = grad_depth * given.depth[ray] - grad_opacity * T_end;
+    float behind = grad_depth * given.depth[ray] + grad_opacity * T_end;
