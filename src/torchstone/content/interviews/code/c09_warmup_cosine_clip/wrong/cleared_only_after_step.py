# over: solution.py
# verdict: WA property
# group: edge
# en: After a skipped update the bad gradient is still there; clear before every update.
# zh: 跳过更新之后坏梯度还留着；每次更新之前都要清零。
@@
-        optimizer.zero_grad()
+        if step == 0:
+            optimizer.zero_grad()
         losses = []
@@
             optimizer.step()
+            optimizer.zero_grad()
