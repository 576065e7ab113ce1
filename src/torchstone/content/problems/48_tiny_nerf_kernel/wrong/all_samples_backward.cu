// over: good/ray_per_thread.cu
// verdict: WA grad
// group: stop
// en: The backward marches as far as the forward did; what lies behind the stop was never seen.
// zh: 反向只走到前向停下的地方，停止之后的采样点从未参与计算。
@@
-    for (int i = 0; i < given.steps[ray]; i++) {
+    for (int i = 0; i < scene.S; i++) {
