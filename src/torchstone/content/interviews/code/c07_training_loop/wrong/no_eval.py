# over: solution.py
# verdict: WA property
# group: sample
# en: no_grad only stops recording; batch norm and dropout ask model.training.
# zh: `no_grad` 只是不记录计算图；批归一化和 dropout 看的是 `model.training`。
@@
-    model.eval()
     total, count = 0.0, 0
