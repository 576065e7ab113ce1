# over: solution.py
# verdict: WA value
# group: grad
# en: train() switches every module back; whoever freezes must override it.
# zh: `train()` 会把所有模块切回去；要冻结就得改写它。
@@
-        self.train(self.training)
-
-    def train(self, mode: bool = True) -> "ResNet":
-        """Switch the mode of all that is not frozen."""
-        super().train(mode)
-        # requires_grad does not keep the running statistics from moving.
         for module in self.frozen:
             module.eval()
-        return self
