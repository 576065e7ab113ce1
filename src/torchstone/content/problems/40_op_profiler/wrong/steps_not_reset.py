# over: solution.py
# verdict: WA property
# group: small
# en: The number of steps is not reset, and a second use has no warm-up.
# zh: 步数没有归零，第二次使用就没有预热了。
@@
         self._layers: list[tuple[str, nn.Module]] = list(model.named_modules())
-        self._profile = None
+        self._profile, self._step = None, 0
@@
-        self._profile, self._step = None, 0
+        self._profile = None
@@
-        if self._step == self._warmup:
+        if self._step >= self._warmup and self._profile is None:
             self._profile = profile().__enter__()
