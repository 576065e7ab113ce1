// over: good/shifted_list.cu
// verdict: WA value
// group: ties
// en: A heap keeps no order among equals: compare (distance, index).
// zh: 堆不保持相等元素的次序：要按（距离，下标）比较。
@@
+// The farthest is at the root; whatever is put there sinks to its place.
+__device__ void sink(float* heap, int* heap_idx, int size) {
+    const float d = heap[0];
+    const int i = heap_idx[0];
+    int at = 0;
+    for (int child = 1; child < size; child = 2 * at + 1) {
+        child += child + 1 < size && heap[child + 1] > heap[child];
+        if (heap[child] <= d) {
+            break;
+        }
+        heap[at] = heap[child];
+        heap_idx[at] = heap_idx[child];
+        at = child;
+    }
+    heap[at] = d;
+    heap_idx[at] = i;
+}
+
 __global__ void knn_kernel(const float* query, const float* ref, const int* query_len,
@@ knn_kernel
-            if (d < best[K - 1]) {
-                int k = K - 1;
-                for (; k > 0 && best[k - 1] > d; k--) {
-                    best[k] = best[k - 1];
-                    best_idx[k] = best_idx[k - 1];
-                }
-                best[k] = d;
-                best_idx[k] = begin + t;
+            if (d < best[0]) {
+                best[0] = d;
+                best_idx[0] = begin + t;
+                sink(best, best_idx, K);
@@ knn_kernel
+    for (int size = K - 1; size > 0; size--) {
+        const float farthest = best[0];
+        const int farthest_idx = best_idx[0];
+        best[0] = best[size];
+        best_idx[0] = best_idx[size];
+        best[size] = farthest;
+        best_idx[size] = farthest_idx;
+        sink(best, best_idx, size);
+    }
     if (m < M) {
