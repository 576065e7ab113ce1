import sys

answer = 2 * int(sys.argv[1])
