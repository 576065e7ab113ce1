# over: solution.py
# verdict: WA property
# en: Validates on the first batch alone.
# zh: 只在第一个批上验证。
@@
         total += loss_fn(model(x), y).item() * len(x)
         count += len(x)
+        break
