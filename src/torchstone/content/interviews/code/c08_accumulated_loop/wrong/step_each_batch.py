# over: solution.py
# verdict: WA property
# group: sample
# en: Accumulation means one step for several backwards.
# zh: 累积的意思是多次反向之后才走一步。
@@
             total += loss.item() * len(x)
-        optimizer.step()
+            optimizer.step()
         count += num_samples
