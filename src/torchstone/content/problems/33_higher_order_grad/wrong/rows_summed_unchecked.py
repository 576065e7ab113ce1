# over: solution.py
# verdict: WA property
# group: edge
# en: f returned several numbers for a row, and they were added up; that is not the Laplacian of one function.
# zh: f 对一行返回了多个数，却被加在一起；那不是一个函数的拉普拉斯。
@@
         y = f(x)
-        if y.shape not in ((len(x),), (len(x), 1)):
+        if y.shape[:1] != (len(x),):
             raise ValueError(f"laplacian: f must return {len(x)} numbers, not {tuple(y.shape)}")
