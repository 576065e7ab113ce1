# over: solution.py
# verdict: WA property
# group: edge
# en: Without finally an exception leaves the model in training mode.
# zh: 没有 finally，一旦抛出异常，模型就停在训练模式。
@@
-    try:
-        for epoch in range(epochs):
-            history["train_loss"].append(_train(model, train_loader, optimizer, loss_fn))
-            val_loss = _validate(model, val_loader, loss_fn)
-            if all(val_loss < earlier for earlier in history["val_loss"]):
-                history["best_epoch"] = epoch
-                # state_dict gives the live tensors: later steps would change them.
-                state = model.state_dict()
-                history["best_state"] = {name: value.clone() for name, value in state.items()}
-            history["val_loss"].append(val_loss)
-    finally:
-        model.train(was_training)
+    for epoch in range(epochs):
+        history["train_loss"].append(_train(model, train_loader, optimizer, loss_fn))
+        val_loss = _validate(model, val_loader, loss_fn)
+        if all(val_loss < earlier for earlier in history["val_loss"]):
+            history["best_epoch"] = epoch
+            state = model.state_dict()
+            history["best_state"] = {name: value.clone() for name, value in state.items()}
+        history["val_loss"].append(val_loss)
+    model.train(was_training)
