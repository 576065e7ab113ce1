# over: solution.py
# verdict: WA property
# group: sample
# en: A change through `.data` moves no version counter, so old graphs give wrong gradients.
# zh: 通过 `.data` 修改不会推进版本计数器：保存过旧值的计算图会悄悄算出错误的梯度。
@@
-        param.addcdiv_(mean, root, value=-lr / correction1)
+        param.data.addcdiv_(mean, root, value=-lr / correction1)
