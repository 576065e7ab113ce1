# outcome: RTE
# tries: raise something that breaks whoever prints it
class Hostile(Exception):
    def __str__(self):
        raise self

    __repr__ = __str__


def softmax(x, dim=-1, dtype=None):
    raise Hostile
