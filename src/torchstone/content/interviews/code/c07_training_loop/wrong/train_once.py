# over: solution.py
# verdict: WA property
# group: sample
# en: Validation switches to eval, so every epoch has to switch back.
# zh: 验证时切到了 eval，所以每一轮都要切回来。
@@
     try:
+        model.train()
         for epoch in range(epochs):
@@
-    model.train()
     total, count = 0.0, 0
