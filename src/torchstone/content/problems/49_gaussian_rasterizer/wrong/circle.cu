// over: good/counting_rank.cu
// verdict: WA value
// group: radius
// en: The radius bounds |dx| and |dy| each: a square, not a circle.
// zh: 半径分别限制 |dx| 和 |dy|：是正方形，不是圆。
@@
-    if (place.z <= 0 || fabsf(dx) > place.z || fabsf(dy) > place.z) {
+    if (place.z <= 0 || dx * dx + dy * dy > place.z * place.z) {
