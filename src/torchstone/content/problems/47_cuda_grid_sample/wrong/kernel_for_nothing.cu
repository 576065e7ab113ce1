// over: solution.cu
// verdict: WA property
// group: empty
// en: Without channels there is nothing to be computed, whatever the number of samples.
// zh: 没有通道就没有东西要算，不管有多少采样点。
@@ Forward and backward.
-    if (shape.num_samples() == 0 || C == 0) {
+    if (shape.num_samples() == 0) {
@@
-    if (shape.num_samples() == 0 || C == 0 || !(grad_input || grad_grid)) {
+    if (shape.num_samples() == 0 || !(grad_input || grad_grid)) {
