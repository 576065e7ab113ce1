# over: solution.py
# verdict: WA property
# group: sample
# en: no_grad does not switch batch norm; validation needs eval() as well.
# zh: `no_grad` 不会切换批归一化；验证还需要 `eval()`。
@@
-    model.eval()
     total, count = 0.0, 0
     for x, y in loader:
         total += loss_fn(model(x), y).item() * len(x)
