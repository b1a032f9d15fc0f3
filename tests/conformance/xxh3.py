"""XXH3 with 64 bits and seed 0, by the specification of the xxHash project, of inputs of any size."""
from struct import unpack_from

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
U32, U64 = (1 << 32) - 1, (1 << 64) - 1
PRIME32 = [0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D]
PRIME64 = [0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5]
# Of the project's own sanity check: size and hash of its pseudorandom bytes.
VECTORS = {0: 0x2D06800538D394C2, 1: 0xC44BDFF4074EECDB, 6: 0x27B56A84CD2D7325, 12: 0xA713DAF0DFBB77E7,
           24: 0xA3FE70BF9D3510EB, 48: 0x397DA259ECBA1F11, 80: 0xBCDEFBBB2C47C90A, 195: 0xCD94217EE362EC3A,
           403: 0xCDEB804D65C6DEA4, 512: 0x617E49599013CB6B, 2048: 0xDD59E2C3A5F038E0, 2099: 0xC6B9D9B3FC9AC765,
           2240: 0x6E73A90539CF2948, 2367: 0xCB37AEB9E5D361ED}


def u32(data, at):
    return unpack_from("<I", data, at)[0]


def u64(data, at):
    return unpack_from("<Q", data, at)[0]


def swapped(value, size):
    return int.from_bytes(value.to_bytes(size, "little"), "big")


def folded(a, b):
    product = a * b
    return product & U64 ^ product >> 64


def avalanche(h):
    h = (h ^ h >> 37) * 0x165667919E3779F9 & U64
    return h ^ h >> 32


def avalanche64(h):
    h = (h ^ h >> 33) * PRIME64[1] & U64
    h = (h ^ h >> 29) * PRIME64[2] & U64
    return h ^ h >> 32


def xxh3(data):
    n = len(data)
    if n > 240:
        return long(data, n)
    if n > 16:
        return middle(data, n)
    if n > 8:
        low = u64(data, 0) ^ u64(SECRET, 24) ^ u64(SECRET, 32)
        high = u64(data, n - 8) ^ u64(SECRET, 40) ^ u64(SECRET, 48)
        return avalanche(n + swapped(low, 8) + high + folded(low, high) & U64)
    if n > 3:
        h = u32(data, n - 4) + (u32(data, 0) << 32) ^ u64(SECRET, 8) ^ u64(SECRET, 16)
        h ^= (h << 49 | h >> 15) & U64 ^ (h << 24 | h >> 40) & U64
        h = h * 0x9FB21C651E98DF25 & U64
        h = (h ^ (h >> 35) + n) * 0x9FB21C651E98DF25 & U64
        return h ^ h >> 28
    if n:
        combined = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return avalanche64(combined ^ u32(SECRET, 0) ^ u32(SECRET, 4))
    return avalanche64(u64(SECRET, 56) ^ u64(SECRET, 64))


def mixed(data, at, secret):
    return folded(u64(data, at) ^ u64(SECRET, secret), u64(data, at + 8) ^ u64(SECRET, secret + 8))


def middle(data, n):
    h = n * PRIME64[0]
    if n <= 128:
        for i in range((n - 1) // 32 + 1):
            h += mixed(data, 16 * i, 32 * i) + mixed(data, n - 16 * (i + 1), 32 * i + 16)
        return avalanche(h & U64)
    for i in range(8):
        h += mixed(data, 16 * i, 16 * i)
    h = avalanche(h & U64)
    for i in range(8, n // 16):
        h += mixed(data, 16 * i, 16 * (i - 8) + 3)
    return avalanche(h + mixed(data, n - 16, 136 - 17) & U64)


def long(data, n):
    lanes = [PRIME32[2], *PRIME64[:4], PRIME32[1], PRIME64[4], PRIME32[0]]
    per_block = (len(SECRET) - 64) // 8
    stripes = (n - 1) // 64
    for stripe in range(stripes):
        accumulate(lanes, data, 64 * stripe, 8 * (stripe % per_block))
        if stripe % per_block == per_block - 1:
            for i in range(8):
                lane = lanes[i] ^ lanes[i] >> 47 ^ u64(SECRET, len(SECRET) - 64 + 8 * i)
                lanes[i] = lane * PRIME32[0] & U64
    accumulate(lanes, data, n - 64, len(SECRET) - 64 - 7)
    h = n * PRIME64[0]
    for i in range(0, 8, 2):
        h += folded(lanes[i] ^ u64(SECRET, 11 + 8 * i), lanes[i + 1] ^ u64(SECRET, 19 + 8 * i))
    return avalanche(h & U64)


def accumulate(lanes, data, at, secret):
    for i in range(8):
        value = u64(data, at + 8 * i)
        keyed = value ^ u64(SECRET, secret + 8 * i)
        lanes[i ^ 1] = lanes[i ^ 1] + value & U64
        lanes[i] = lanes[i] + (keyed & U32) * (keyed >> 32) & U64


def sanity_bytes(size):
    state, out = PRIME32[0], bytearray()
    for _ in range(size):
        out.append(state >> 56)
        state = state * 0x9E3779B185EBCA8D & U64
    return bytes(out)


assert all(xxh3(sanity_bytes(size)) == expected for size, expected in VECTORS.items())
