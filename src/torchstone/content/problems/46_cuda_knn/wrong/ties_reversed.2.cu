// over: good/two_queries.cu
// verdict: WA value
// group: ties
// en: Only what is strictly farther moves back; equals stay where they are.
// zh: 只有严格更远的才往后移，距离相等的保持原位。
@@ A tie with the last entry goes in as well.
-        if (!(d < dist[size - 1])) {
+        if (!(d <= dist[size - 1])) {
@@
-            const bool comes_before = k > 0 && d < dist[k > 0 ? k - 1 : 0];
-            const bool comes_here = d < dist[k];
+            const bool comes_before = k > 0 && d <= dist[k > 0 ? k - 1 : 0];
+            const bool comes_here = d <= dist[k];
