// over: good/double_positions.cu
// verdict: WA grad
// group: small
// en: A clipped coordinate no longer moves the sample: its gradient is 0.
// zh: 坐标被裁剪之后不再影响采样位置，梯度为 0。
@@ At the lower border alone.
     if (position <= 0.0 || isnan(position)) {
-        *slope = 0.0;
+        *slope = isnan(position) ? 0.0 : *slope;
