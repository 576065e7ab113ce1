# over: solution.py
# verdict: WA value
# group: value
# en: collate_fn gets a list of samples; one of the user's may ask for nothing else.
# zh: collate_fn 收到的是样本列表；用户自己的函数可能只接受列表。
@@
-        return self.collate_fn([self.dataset[index] for index in indices])
+        return self.collate_fn(tuple(self.dataset[index] for index in indices))
