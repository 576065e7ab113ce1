# over: solution.py
# verdict: WA property | WA value
# group: none
# en: Each parameter counts its own steps: one without a gradient does not age.
# zh: 每个参数各自计步；没有梯度的那一步不算。
@@
         self.state = {}
+        self.count = 0
@@
                 loss = closure()
+        self.count += 1
@@
-        # A count for each parameter: one without a gradient does not age.
-        state["step"] += 1
+        state["step"] = self.count
