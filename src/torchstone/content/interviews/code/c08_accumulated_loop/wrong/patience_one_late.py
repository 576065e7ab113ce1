# over: solution.py
# verdict: WA property
# group: sample
# en: After patience bad epochs it stops, not after one more.
# zh: 坏满 patience 轮就停，不再多等一轮。
@@
-        if patience is not None and epoch - history["best_epoch"] >= patience:
+        if patience is not None and epoch - history["best_epoch"] > patience:
