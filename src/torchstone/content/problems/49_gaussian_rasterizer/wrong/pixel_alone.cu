// over: good/counting_rank.cu
// verdict: WA property
// group: perf
// en: Load a batch into shared memory once for a whole tile; alone, each pixel fetches all.
// zh: 一批高斯由整个图块一起装入共享内存；各算各的，每个像素都要把全部取一遍。
@@
-    __shared__ float4 places[batch_size], conics[batch_size], colors[batch_size];
     const int x = blockIdx.x * tile_size + threadIdx.x, y = blockIdx.y * tile_size + threadIdx.y;
-    const int thread = threadIdx.y * tile_size + threadIdx.x;
     const bool is_inside = x < W && y < H;
-    bool is_done = !is_inside;
     float T = 1, red = 0, green = 0, blue = 0;
     int last = 0;
-    for (int first = 0; first < N; first += batch_size) {
-        // Nobody may leave alone, and nobody overwrites a batch that is still being read.
-        if (__syncthreads_count(is_done) == batch_size) {
+    for (int i = 0; i < N && is_inside; i++) {
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
