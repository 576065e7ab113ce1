# over: solution.py
# verdict: WA property
# group: small
# en: Numbers are taken at each step(). What runs after the last one is lost, though it counts.
# zh: 只在 step() 时取数。最后一次 step() 之后运行的部分也应计入，却丢失了。
@@
         self._profile, self._step = None, 0
+        self._done = []
@@
     def step(self) -> None:
         self._step += 1
-        self._start_if_warm()
+        if self._profile is not None:
+            self._profile.__exit__(None, None, None)
+            self._done.append(self._profile)
+        self._profile = profile().__enter__() if self._step >= self._warmup else None
@@
         if self._profile is None:
             return []
         events = [
             (each.start_ns(), each.start_ns() + each.duration_ns(), each.name(), each.sequence_nr())
-            for each in self._profile.kineto_results.events()
+            for done in self._done
+            for each in done.kineto_results.events()
             # An engine's range contains the node's own; a range that a layer opens is no operator.
             if each.scope() != 1 and (each.scope() != 7 or each.name().startswith(LAYER))
