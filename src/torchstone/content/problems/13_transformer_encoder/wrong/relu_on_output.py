# over: solution.py
# verdict: WA value
# group: sample
# en: The activation stands between the two linear maps; behind the second one, nothing separates
#   them.
# zh: 激活函数在两个线性层之间；放到第二个之后，两个线性层就合并成了一个。
@@
-        hidden = self.dropout(self.activation(self.linear1(x)))
-        return self.dropout(self.linear2(hidden))
+        hidden = self.dropout(self.linear1(x))
+        return self.dropout(self.activation(self.linear2(hidden)))
