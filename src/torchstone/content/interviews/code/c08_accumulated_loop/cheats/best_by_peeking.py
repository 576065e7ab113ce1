# over: solution.py
# verdict: WA property
# en: Runs all epochs, and cuts the history afterwards.
# zh: 先训练满全部轮次，事后再截短记录。
@@
-        if patience is not None and epoch - history["best_epoch"] >= patience:
-            history["stopped"] = epoch + 1 < epochs
-            break
+    best, losses = history["best_epoch"], history["val_loss"]
+    if patience is not None and best is not None and len(losses) > best + patience + 1:
+        history["stopped"] = True
+        for name in ("train_loss", "val_loss"):
+            del history[name][best + patience + 1 :]
