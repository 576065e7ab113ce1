# over: solution.py
# verdict: WA property
# group: basic
# en: Hooks run in every backward; they must look at the flag of no_sync.
# zh: 每次反向都会触发 hook，hook 必须看 no_sync 的标志。
@@
-        self.will_reduce = self.syncs and self.training and torch.is_grad_enabled()
+        self.will_reduce = self.training and torch.is_grad_enabled()
