// over: good/counting_rank.cu
// verdict: WA value
// group: batch
// en: n_last is a position in the whole order, not in the batch at hand.
// zh: `n_last` 是在整个次序中的位置，不是在当前这一批里的位置。
@@
-            last = first + i + 1;
+            last = i + 1;
