# over: solution.py
# verdict: RTE
# group: sample
# en: A leaf that requires a gradient is changed in place only under no_grad.
# zh: 记录计算图时不能原地修改需要梯度的叶子张量，应在 no_grad 下更新。
@@
-        with torch.no_grad():
+        if True:
