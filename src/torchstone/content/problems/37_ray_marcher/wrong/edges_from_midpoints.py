# over: solution.py
# verdict: WA value
# group: sample
# en: Weights belong to bins: their distribution lives on the edges of the bins.
# zh: 权重属于区间：分布要建立在区间的边上。
@@
-            weights = look(t).weights
-            fine = importance_samples(bin_edges(near, far, num_coarse), weights, u_fine)
+            weights = look(t).weights[:, 1:-1] if num_coarse > 2 else look(t).weights
+            middles = (t[:, 1:] + t[:, :-1]) / 2
+            edges = middles if num_coarse > 2 else bin_edges(near, far, num_coarse)
+            fine = importance_samples(edges, weights, u_fine)
