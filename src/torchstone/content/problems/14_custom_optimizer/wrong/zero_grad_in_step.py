# over: solution.py
# verdict: WA property
# group: small
# en: The gradients belong to the caller; a step that clears them breaks accumulation over batches.
# zh: 梯度归调用者所有；step 把它清零，跨批次的梯度累积就失效了。
@@
                         self.update(param, param.grad, group)
+        self.zero_grad()
