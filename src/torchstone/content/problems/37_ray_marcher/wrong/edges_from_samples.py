# over: solution.py
# verdict: WA value
# group: sample
# en: The bins are those of bin_edges, not the intervals between samples.
# zh: 区间是 bin_edges 的区间，不是样本之间的间隔。
@@
-            fine = importance_samples(bin_edges(near, far, num_coarse), weights, u_fine)
+            edges = torch.cat([t, far[:, None]], -1)
+            fine = importance_samples(edges, weights, u_fine)
