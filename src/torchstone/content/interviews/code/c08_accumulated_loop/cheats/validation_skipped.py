# over: solution.py
# verdict: WA property
# en: Takes the training loss for that of validation.
# zh: 拿训练损失冒充验证损失。
@@
-        val_loss = _validate(model, val_loader, loss_fn)
+        val_loss = train_loss
