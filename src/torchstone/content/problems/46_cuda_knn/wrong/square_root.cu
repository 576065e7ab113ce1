// over: good/shifted_list.cu
// verdict: WA value
// group: sample
// en: Squared distances are wanted: the root costs, and makes ties of what is none.
// zh: 要的是平方距离：开方有开销，还会把不相等的变成相等。
@@ knn_kernel
-            const float d = dx * dx + dy * dy + dz * dz;
+            const float d = sqrtf(dx * dx + dy * dy + dz * dz);
