# over: solution.py
# verdict: WA property
# group: errors
# en: A parameter that is listed twice would be updated twice in each step.
# zh: 同一个参数列两次，每步就会更新两次。
@@
-        if len({id(param) for param in known + params}) < len(known) + len(params):
-            raise ValueError("a parameter appears twice")
+        if {id(param) for param in known} & {id(param) for param in params}:
+            raise ValueError("a parameter is in another group")
