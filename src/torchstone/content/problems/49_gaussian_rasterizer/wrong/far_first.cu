// over: good/counting_rank.cu
// verdict: WA value
// group: small
// en: Blend front to back, so that you can stop; far to near is another order and another n_last.
// zh: 要由近及远地混合，才能提前停止；由远及近，顺序和 `n_last` 都不同。
@@
-        rank += other < mine || (other == mine && i < n);
+        rank += other > mine || (other == mine && i < n);
