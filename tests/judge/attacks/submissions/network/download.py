# outcome: FORBIDDEN_OP | RTE
# tries: fetch an answer
import urllib.request

urllib.request.urlopen("http://127.0.0.1/", timeout=1)
