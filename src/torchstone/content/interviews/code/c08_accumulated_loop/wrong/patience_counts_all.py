# over: solution.py
# verdict: WA property
# group: small
# en: Only bad epochs in a row exhaust patience; a new best one starts the count again.
# zh: 只有连续的坏轮次才耗尽耐心；出现新的最好就要重新计数。
@@
     best_state: dict[str, Tensor] = {}
+    bad = 0
@@
-        if patience is not None and epoch - history["best_epoch"] >= patience:
+        bad += history["best_epoch"] != epoch
+        if patience is not None and bad >= patience:
