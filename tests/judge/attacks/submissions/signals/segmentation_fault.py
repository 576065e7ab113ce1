# outcome: RTE
# tries: crash
import faulthandler

faulthandler._sigsegv()
raise RuntimeError("it survived")
