# over: solution.py
# verdict: WA value
# group: sample
# en: Update 0 already moves: the warm-up gives it 1/warmup, not 0.
# zh: 第 0 次更新就要走动：预热给它 1/warmup，而不是 0。
@@
-        return (step + 1) / warmup
+        return step / warmup
