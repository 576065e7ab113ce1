// over: good/counting_rank.cu
// verdict: UNINIT
// group: batch
// en: The last batch is shorter: behind its end stands what an earlier batch left, or nothing.
// zh: 最后一批不满：它的末尾之后，是上一批留下的数据，或者什么都没有。
@@
-    __shared__ float4 places[batch_size], conics[batch_size], colors[batch_size];
+    // Two batches in turn.
+    __shared__ float4 both_places[2][batch_size], both_conics[2][batch_size];
+    __shared__ float4 both_colors[2][batch_size];
@@
+        const int turn = first / batch_size % 2;
+        float4 *const places = both_places[turn], *const conics = both_conics[turn];
+        float4* const colors = both_colors[turn];
         if (first + thread < N) {
@@
-        const int count = N - first < batch_size ? N - first : batch_size;
+        const int count = N < batch_size ? N : batch_size;
