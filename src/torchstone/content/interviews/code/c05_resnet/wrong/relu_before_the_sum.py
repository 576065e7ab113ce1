# over: solution.py
# verdict: WA value
# group: sample
# en: The ReLU comes after the sum: before it a block could only add.
# zh: ReLU 在求和之后；放在之前，块就只能往上加。
@@
-        return self.relu(y + self.shortcut(x))
+        return self.relu(y) + self.shortcut(x)
