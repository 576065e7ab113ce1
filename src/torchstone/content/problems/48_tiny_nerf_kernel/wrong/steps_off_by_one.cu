// over: good/ray_per_thread.cu
// verdict: WA value
// group: sample
// en: steps counts the samples that were looked at; it is not the index of the last one.
// zh: steps 是看过的采样点个数，而不是最后一个的下标。
@@
-    steps[ray] = looked_at;
+    steps[ray] = looked_at - 1;
