# verdict: WA value
# en: Everything is wrong.
# zh: 一律判为错误。
class GradcheckError(RuntimeError):
    pass


def gradcheck(fn, inputs, **options):
    raise GradcheckError
