# over: solution.py
# verdict: WA property
# group: large
# en: Sorted as text, "10" comes before "2". The keys are already in order, or are sorted as
#   numbers.
# zh: 按文本排序，"10" 在 "2" 前面。键本来就有序；要排也应按数值排。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        return iter(self._modules.values())
+        return iter([self._modules[key] for key in sorted(self._modules)])
