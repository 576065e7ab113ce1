// over: good/ray_per_thread.cu
// verdict: OOB
// group: null
// en: grad_depth and grad_opacity may be null, which means zeros.
// zh: grad_depth 和 grad_opacity 可以是空指针，意思是全零。
@@
-    const float grad_depth = given.grad_depth ? given.grad_depth[ray] : 0.0f;
-    const float grad_opacity = given.grad_opacity ? given.grad_opacity[ray] : 0.0f;
+    const float grad_depth = given.grad_depth[ray];
+    const float grad_opacity = given.grad_opacity[ray];
