# over: solution.py
# verdict: WA property
# group: sample
# en: The list holds the loss tensors, and each of them keeps its graph alive; convert the loss
#   to a float.
# zh: 列表里存的是损失张量，每个都留住自己的计算图；应转换成 float。
@@
-        losses.append(loss.item())
+        losses.append(loss)
