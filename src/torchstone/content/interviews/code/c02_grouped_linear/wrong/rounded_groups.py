# over: solution.py
# verdict: WA property
# group: edge
# en: Features that fall out of every group are an error, not a rest to be dropped.
# zh: 分不进任何组的特征是错误，不能当余数丢掉。
@@
-        if in_features % groups or out_features % groups:
-            sizes = f"{in_features} and {out_features}"
-            raise ValueError(f"Linear: {groups} groups do not divide {sizes} features.")
         columns = in_features // groups
