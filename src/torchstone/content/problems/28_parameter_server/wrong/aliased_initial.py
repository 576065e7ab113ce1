# over: solution.py
# verdict: WA property | WA value
# group: alias
# en: The passed parameters stay the caller's: copy them, and train the copies.
# zh: 传入的参数仍属于调用者：先复制，再更新副本。
@@
-        self._params = {name: value.detach().clone() for name, value in params.items()}
+        self._params = {name: value.detach() for name, value in params.items()}
