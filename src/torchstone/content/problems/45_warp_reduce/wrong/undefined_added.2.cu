// over: good/double_partials.cu
// verdict: WA value
// group: warp
// en: Beyond the last lane the value is undefined; test lane + offset < k.
// zh: 越界 lane 的值未定义：相加之前先判断 lane + offset < k。
@@ In the function for one warp alone.
         const float other = __shfl_down_sync(mask, v, offset);
-        if (lane + offset < count) {
-            v += other;
-        }
+        v += lane < count ? other : 0.0f;
