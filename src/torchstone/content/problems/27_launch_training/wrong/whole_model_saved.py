# over: solution.py
# verdict: WA property
# group: sample
# en: A model that is saved whole is pickled code: weights_only=True refuses it; save its state_dict.
# zh: 保存整个模型，存下的是 pickle 的代码，weights_only=True 会拒绝；应保存 state_dict。
@@
-        torch.save(model.cpu().state_dict(), args.out / "model.pt")
+        torch.save(model.cpu(), args.out / "model.pt")
