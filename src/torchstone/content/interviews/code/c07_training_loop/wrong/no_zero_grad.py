# over: solution.py
# verdict: WA value | WA property
# group: sample
# en: Gradients add up in .grad until somebody clears them.
# zh: 梯度会在 `.grad` 里累加，直到有人清零。
@@
-        # Before backward, not after step: an old gradient may be there when fit is called.
-        optimizer.zero_grad()
         loss = loss_fn(model(x), y)
