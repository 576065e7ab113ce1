# over: solution.py
# verdict: WA property
# group: sample
# en: The backward pass is left out. It runs after forward has left the layer; the sequence number links the two.
# zh: 漏掉了反向。反向在前向离开该层之后才运行，靠 sequence number 关联。
@@
-                if owner := owners.get(number):
-                    owner.backward_us += (end - start) / 1e3
+                continue
             else:
