# over: solution.py
# verdict: WA property
# group: tensor
# en: Reading a value waits for the device: read it only when you write.
# zh: 读数要等设备算完，只在写记录时才读。
@@
-        # A copy without the graph; no number of it is asked for.
-        return value.detach().clone().reshape(())
+        return value.item()
