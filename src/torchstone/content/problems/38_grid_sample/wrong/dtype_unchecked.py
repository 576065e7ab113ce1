# over: solution.py
# verdict: WA property
# group: edge
# en: Arguments of different dtypes must raise; here they are promoted.
# zh: 两个参数类型不同时要报错；这里被提升成了同一类型。
@@
-    if input.dtype != grid.dtype:
-        raise ValueError(f"grid_sample: got {input.dtype} and {grid.dtype}; use one dtype.")
