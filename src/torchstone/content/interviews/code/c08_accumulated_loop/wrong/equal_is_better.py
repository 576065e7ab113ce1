# over: solution.py
# verdict: WA property
# group: sample
# en: An equal loss is no improvement: it neither moves the best epoch nor resets patience.
# zh: 损失相等不算进步：既不更新最好的一轮，也不重置耐心。
@@
-        if all(val_loss < earlier for earlier in history["val_loss"]):
+        if all(val_loss <= earlier for earlier in history["val_loss"]):
