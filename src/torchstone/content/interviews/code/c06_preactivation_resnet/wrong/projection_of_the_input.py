# over: solution.py
# verdict: WA value
# group: sample
# en: The projection takes what the branch takes: the activated input.
# zh: 投影的输入与支路相同：激活之后的输入。
@@
-        return y + (x if self.shortcut is None else self.shortcut(active))
+        return y + (x if self.shortcut is None else self.shortcut(x))
