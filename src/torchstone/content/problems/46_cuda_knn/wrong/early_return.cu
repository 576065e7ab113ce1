// over: good/shifted_list.cu
// verdict: RACE
// group: small
// en: A thread without a query still helps to load, and must pass every barrier.
// zh: 没有查询点的线程也要参与加载，并且要经过每一个屏障。
@@ knn_kernel
     const bool has_query = m < num_queries;
+    if (m >= M) {
+        return;
+    }
