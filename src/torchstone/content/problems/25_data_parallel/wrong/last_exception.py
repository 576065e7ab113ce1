# over: solution.py
# verdict: WA property
# group: error
# en: Of several exceptions that of the lowest replica counts, not the one that came first or
#   last.
# zh: 多个副本抛出异常时，以编号最小的副本为准，与先后无关。
@@
-        raise errors[min(errors)]
+        raise next(iter(errors.values()))
