# over: solution.py
# verdict: WA value
# group: small
# en: The warm-up has no floor.
# zh: 预热阶段没有下限。
@@
-        return (step + 1) / warmup
+        return max(floor, (step + 1) / warmup)
