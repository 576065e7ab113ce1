# over: solution.py
# verdict: WA property
# group: small
# en: A module with two names has two rows. named_modules() lists a module once, under its first name.
# zh: 有两个名字的模块出现两行。named_modules() 对每个模块只列一次，取第一个名字。
@@
-        self._layers = list(self._model.named_modules())
+        self._layers = list(self._model.named_modules(remove_duplicate=False))
         self._handles, self._open = [], []
