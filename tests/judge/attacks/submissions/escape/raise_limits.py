# outcome: RTE
# problem: 06
# tries: lift the own limits
import resource

for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE):
    try:
        resource.setrlimit(kind, (-1, -1))
        break
    except (OSError, ValueError):
        continue
else:
    raise PermissionError("the limits stay")
