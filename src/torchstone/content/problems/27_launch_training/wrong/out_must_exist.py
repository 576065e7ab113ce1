# over: solution.py
# verdict: RTE
# group: sample
# en: --out is created if it is missing.
# zh: --out 指定的目录不存在时要创建。
@@
-        args.out.mkdir(parents=True, exist_ok=True)
         torch.save(model.cpu().state_dict(), args.out / "model.pt")
