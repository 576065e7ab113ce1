# over: solution.py
# verdict: WA value
# group: uneven
# en: A short last batch must weigh less.
# zh: 最后一个小批的权重应更小。
@@
-            total += torch.tensor([loss.item() * len(y), len(y)], dtype=total.dtype).to(device)
+            total += torch.tensor([loss.item(), 1], dtype=total.dtype).to(device)
