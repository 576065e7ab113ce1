// over: good/kahan.cu
// verdict: WA value
// group: edge
// en: Of an infinite sum nothing is lost: infinity minus infinity is NaN, and stays.
// zh: 无穷大的和没有丢失什么：无穷减无穷得 NaN，此后一直是 NaN。
@@
-        // Of an infinite sum nothing is lost; the difference would be NaN.
-        lost = isfinite(next) ? (next - sum) - term : 0.0f;
+        lost = (next - sum) - term;
