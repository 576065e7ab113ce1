# over: solution.py
# verdict: WA property
# group: edge
# en: Equal losses are no improvement: keep the earlier state.
# zh: 损失相等不算进步：应保留较早的状态。
@@
-            if all(val_loss < earlier for earlier in history["val_loss"]):
+            if all(val_loss <= earlier for earlier in history["val_loss"]):
