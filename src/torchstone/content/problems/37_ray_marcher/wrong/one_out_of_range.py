# over: solution.py
# verdict: RTE
# group: edge
# en: u = 1 lies behind the last bin: it ends there.
# zh: u = 1 落在最后一个区间之后，应取其终点。
@@
-    place = torch.minimum(place, last)
