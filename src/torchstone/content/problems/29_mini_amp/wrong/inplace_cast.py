# over: solution.py
# verdict: RTE | WA value | WA dtype
# group: out
# en: Casts in in-place variants as well: the copy is changed, and the tensor itself stays as
#     it was.
# zh: 原地版本也做转换：改的是副本，张量本身没有变。
@@
         dtype, name = local.regions[-1], getattr(func, "__name__", "")
+        name = name[:-1] if name.endswith("_") and not name.endswith("__") else name
