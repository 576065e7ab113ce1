# over: solution.py
# verdict: RTE
# group: old-launcher
# en: torch.distributed.launch passes --local-rank unless --use-env; accept it.
# zh: 旧启动器不加 --use-env 时会传 --local-rank，要接受它。
@@
-    # torch.distributed.launch sends it; the environment says the same.
-    parser.add_argument("--local-rank", "--local_rank", type=int, default=0)
     return parser.parse_args()
