# over: solution.py
# verdict: WA property
# group: sample
# en: DDP prefixes keys with module.; save model.module.
# zh: DDP 的键带 module. 前缀；应保存 model.module。
@@
-        torch.save(model.cpu().state_dict(), args.out / "model.pt")
+        torch.save(ddp.cpu().state_dict(), args.out / "model.pt")
