# over: solution.py
# verdict: WA value
# group: sample
# en: A branch replaces its input instead of being added to it; the gradient loses its short path
#   through the depth.
# zh: 分支替换了输入，而没有与输入相加；梯度失去了贯穿各层的捷径。
@@
-            x = x + self.attend(self.norm1(x), mask)
+            x = self.attend(self.norm1(x), mask)
@@
-        x = self.norm1(x + self.attend(x, mask))
+        x = self.norm1(self.attend(x, mask))
