"""The two modes with replacement: `iid` by spec/zsampler.md, `iid_seek` by its definition in core/src/sampler/mode.rs."""
U64 = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def below(n, words):
    """Lemire's multiply-shift: the first word that is not rejected, scaled to 0..n."""
    for word in words:
        high, low = divmod(word * n, 1 << 64)
        if low >= (1 << 64) % n:
            return high


def sfc64(seed):
    a = b = c = seed
    counter = 1
    while True:
        word = (a + b + counter) & U64
        counter = counter + 1 & U64
        a, b, c = b ^ b >> 11, c + (c << 3) & U64, (c << 24 & U64 | c >> 40) + word & U64
        yield word


def iid(n, b, seed, step):
    """Takes `(step + 1) * b` draws."""
    words = sfc64(seed)
    for _ in range(12):
        next(words)
    for _ in range(step * b & U64):
        below(n, words)
    return [below(n, words) for _ in range(b)]


def finalised(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & U64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & U64
    return z ^ z >> 31


def iid_seek(n, b, seed, step):
    key = finalised(seed + GOLDEN & U64)
    attempts = finalised(key + GOLDEN & U64)

    def words(number):
        state = finalised(key ^ number) + attempts & U64
        while True:
            yield finalised(state)
            state = state + GOLDEN & U64

    return [below(n, words(step * b + position & U64)) for position in range(b)]
