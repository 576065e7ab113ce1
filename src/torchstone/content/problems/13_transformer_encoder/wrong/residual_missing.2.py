# over: solution.py
# verdict: WA value
# group: sample
# en: A branch replaces its input instead of being added to it; the gradient loses its short path
#   through the depth.
# zh: 分支替换了输入，而没有与输入相加；梯度失去了贯穿各层的捷径。
@@
-            return x + self.feed_forward(self.norm2(x))
+            return self.feed_forward(self.norm2(x))
@@
-        return self.norm2(x + self.feed_forward(x))
+        return self.norm2(self.feed_forward(x))
