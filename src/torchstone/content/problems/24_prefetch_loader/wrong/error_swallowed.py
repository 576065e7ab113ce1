# over: solution.py
# verdict: WA property
# group: error
# en: An exception of the loader ends the pass like a short epoch; nobody learns that data is
#     missing.
# zh: 加载器的异常让这一遍像提前结束一样，没有人知道缺了数据。
@@
-    if error is not None:
-        raise error
