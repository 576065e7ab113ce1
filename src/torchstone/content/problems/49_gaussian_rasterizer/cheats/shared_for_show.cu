// over: good/counting_rank.cu
// verdict: SLOW
// en: Reads one word of shared memory for show; every pixel still fetches all by itself.
// zh: 装样子读一个共享内存的字，每个像素照旧自己取所有高斯。
@@
-    __shared__ float4 places[batch_size], conics[batch_size], colors[batch_size];
+    __shared__ int for_show[batch_size];
@@
-    bool is_done = !is_inside;
+    for_show[thread] = N;
+    const int count = for_show[thread];
     float T = 1, red = 0, green = 0, blue = 0;
     int last = 0;
-    for (int first = 0; first < N; first += batch_size) {
-        // Nobody may leave alone, and nobody overwrites a batch that is still being read.
-        if (__syncthreads_count(is_done) == batch_size) {
+    for (int i = 0; i < count && is_inside; i++) {
+        const int n = order[i];
+        if (fabsf(xy[2 * n] - (x + 0.5f)) > radius[n]) {
+            continue;
+        }
+        const float4 place = make_float4(xy[2 * n], xy[2 * n + 1], radius[n], opacity[n]);
+        const float4 shape = make_float4(conic[3 * n], conic[3 * n + 1], conic[3 * n + 2], 0);
+        const Splat splat = look(place, shape, x, y);
+        if (splat.alpha == 0) {
+            continue;
+        }
+        const float T_behind = T * (1 - splat.alpha);
+        if (T_behind < 1e-4f) {
             break;
         }
-        if (first + thread < N) {
-            const int n = order[first + thread];
-            places[thread] = make_float4(xy[2 * n], xy[2 * n + 1], radius[n], opacity[n]);
-            conics[thread] = make_float4(conic[3 * n], conic[3 * n + 1], conic[3 * n + 2], 0);
-            colors[thread] = make_float4(color[3 * n], color[3 * n + 1], color[3 * n + 2], 0);
-        }
-        __syncthreads();
-        const int count = N - first < batch_size ? N - first : batch_size;
-        for (int i = 0; i < count && !is_done; i++) {
-            const Splat splat = look(places[i], conics[i], x, y);
-            if (splat.alpha == 0) {
-                continue;
-            }
-            const float T_behind = T * (1 - splat.alpha);
-            if (T_behind < 1e-4f) {
-                is_done = true;
-                break;
-            }
-            const float weight = splat.alpha * T;
-            red += weight * colors[i].x;
-            green += weight * colors[i].y;
-            blue += weight * colors[i].z;
-            T = T_behind;
-            last = first + i + 1;
-        }
+        const float weight = splat.alpha * T;
+        red += weight * color[3 * n];
+        green += weight * color[3 * n + 1];
+        blue += weight * color[3 * n + 2];
+        T = T_behind;
+        last = i + 1;
