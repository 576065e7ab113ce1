# over: solution.py
# verdict: WA value | WA property
# group: removal
# en: A removed handle leaves its hook in the graphs that were built before: there it still records.
# zh: 句柄移除之后，hook 仍留在之前建好的图里，照样会记录。
@@
-    """Keep the largest absolute gradient that arrived at the output of every layer."""
-
@@
-        self._watching = True
@@
-            # A graph built before `remove` still carries this hook.
-            if not self._watching or gradient.numel() == 0:
+            if gradient.numel() == 0:
@@
-        self._watching = False
