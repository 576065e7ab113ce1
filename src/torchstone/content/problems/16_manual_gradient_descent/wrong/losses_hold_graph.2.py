# over: good/autograd_backward.py
# verdict: WA property
# group: large
# en: The loss was kept with its graph, so the graph of every step stays alive.
# zh: 保存的 loss 带着计算图，于是每一步的图都活着。
@@
-            losses.append(loss.detach())
+            losses.append(loss)
