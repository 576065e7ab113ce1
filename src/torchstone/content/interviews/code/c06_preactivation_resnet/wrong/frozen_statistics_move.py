# over: solution.py
# verdict: WA value
# group: grad
# en: requires_grad is about parameters; batch norm moves its statistics whenever it is in training mode.
# zh: requires_grad 只管参数；批归一化只要在训练模式，统计量就会动。
@@
-        for module in self.frozen:
-            module.eval()
         return self
