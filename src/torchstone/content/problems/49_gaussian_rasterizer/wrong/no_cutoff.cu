// over: good/counting_rank.cu
// verdict: WA value
// group: small
// en: What is fainter than 1/255 is skipped, neither blended nor counted in n_last.
// zh: α 小于 1/255 的要跳过，既不混合，也不计入 `n_last`。
@@
-    splat.alpha = alpha < 1.0f / 255.0f ? 0 : alpha;
+    splat.alpha = alpha;
