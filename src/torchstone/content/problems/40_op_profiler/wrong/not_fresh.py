# over: solution.py
# verdict: WA property
# group: small
# en: A second use adds to the numbers of the first.
# zh: 第二次使用把数字累加到第一次上。
@@
         self._profile = None
+        self._uses = []
@@
             self._profile = profile().__enter__()
+            self._uses.append(self._profile)
@@
-        if self._profile is None:
-            return []
         events = [
             (each.start_ns(), each.start_ns() + each.duration_ns(), each.name(), each.sequence_nr())
-            for each in self._profile.kineto_results.events()
+            for use in self._uses
+            for each in use.kineto_results.events()
             # An engine's range contains the node's own; a range that a layer opens is no operator.
             if each.scope() != 1 and (each.scope() != 7 or each.name().startswith(LAYER))
