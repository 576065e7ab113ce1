# over: solution.py
# verdict: WA property
# group: edge
# en: max_iter limits the mixtures, so f is called max_iter + 1 times; it limits the calls.
# zh: max_iter 被当作混合次数，f 调用了 max_iter + 1 次；它限制的是调用次数。
@@
     best, best_residual, calls = z, float("inf"), 0
-    while calls < max_iter:
+    while calls <= max_iter:
         fz = f(z).detach()
