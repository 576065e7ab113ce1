// over: good/shifted_list.cu
// verdict: WA value
// group: ties
// en: The displaced element walks past its equals: compare (distance, index).
// zh: 被换出的元素会越过与它距离相等的元素：要按（距离，下标）比较。
@@ knn_kernel
-            if (d < best[K - 1]) {
-                int k = K - 1;
-                for (; k > 0 && best[k - 1] > d; k--) {
-                    best[k] = best[k - 1];
-                    best_idx[k] = best_idx[k - 1];
+            // Whoever is nearer takes the place; the other walks on.
+            float walking = d;
+            int walking_idx = begin + t;
+            for (int k = 0; k < K; k++) {
+                if (walking < best[k]) {
+                    const float displaced = best[k];
+                    const int displaced_idx = best_idx[k];
+                    best[k] = walking;
+                    best_idx[k] = walking_idx;
+                    walking = displaced;
+                    walking_idx = displaced_idx;
                 }
-                best[k] = d;
-                best_idx[k] = begin + t;
