# over: solution.py
# verdict: WA grad | WA property
# group: cache
# en: Reuses what was cast under no_grad. That copy has no history, so the weight gets no
#     gradient.
# zh: 复用了 no_grad 下转换的副本。它没有计算图，权重得不到梯度。
@@
-    key = id(x), dtype, torch.is_grad_enabled()
+    key = id(x), dtype
