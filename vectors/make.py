#!/usr/bin/env python3
"""Make the vectors of this directory, always the same ones: make.py [DIRECTORY]

Written from c2sp.org/age and the RFCs alone, with nothing but Python's own library, so that it is a second opinion on
src/age and shares no mistake with it. Not for secrets: nothing here runs in constant time.
"""
import base64
import hashlib
import hmac
import os
import struct
import sys

P = 2**255 - 19


def x25519(scalar, point):
    """RFC 7748 section 5, the Montgomery ladder."""
    k = bytearray(scalar)
    k[0] &= 248
    k[31] = k[31] & 127 | 64
    k = int.from_bytes(k, 'little')
    u = int.from_bytes(point, 'little') % 2**255
    x2, z2, x3, z3, swap = 1, 0, u, 1, 0
    for t in range(254, -1, -1):
        bit = k >> t & 1
        if swap != bit:
            x2, z2, x3, z3 = x3, z3, x2, z2
        swap = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        aa, bb, da, cb = a * a, b * b, d * a, c * b
        x3, z3 = (da + cb) ** 2 % P, u * (da - cb) ** 2 % P
        x2, z2 = aa * bb % P, (aa - bb) * (aa + 121665 * (aa - bb)) % P
    if swap:
        x2, z2, x3, z3 = x3, z3, x2, z2
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, 'little')


def public(secret):
    return x25519(secret, (9).to_bytes(32, 'little'))


def chacha_block(key, counter, nonce):
    """RFC 8439 section 2.3."""
    start = list(struct.unpack('<16I', b'expand 32-byte k' + key + struct.pack('<I', counter) + nonce))
    s = start[:]

    def quarter(a, b, c, d):
        for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            s[x] = s[x] + s[y] & 0xffffffff
            w = s[z] ^ s[x]
            s[z] = (w << turn | w >> 32 - turn) & 0xffffffff

    for _ in range(10):
        for i in range(4):
            quarter(i, i + 4, i + 8, i + 12)
        for i in range(4):
            quarter(i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12)
    return struct.pack('<16I', *((x + y) & 0xffffffff for x, y in zip(start, s)))


def aead(key, nonce, text):
    """RFC 8439 section 2.8, sealing, no additional data."""
    stream = b''.join(chacha_block(key, i + 1, nonce) for i in range((len(text) + 63) // 64))
    sealed = bytes(x ^ y for x, y in zip(text, stream))
    once = chacha_block(key, 0, nonce)
    r = int.from_bytes(once[:16], 'little') & 0x0ffffffc0ffffffc0ffffffc0fffffff
    mac = 0
    padded = sealed + bytes(-len(sealed) % 16) + struct.pack('<QQ', 0, len(sealed))
    for i in range(0, len(padded), 16):
        mac = (mac + int.from_bytes(padded[i:i + 16] + b'\1', 'little')) * r % (2**130 - 5)
    return sealed + ((mac + int.from_bytes(once[16:], 'little')) % 2**128).to_bytes(16, 'little')


def hkdf(ikm, salt, info):
    prk = hmac.new(salt or bytes(32), ikm, hashlib.sha256).digest()
    return hmac.new(prk, info + b'\1', hashlib.sha256).digest()


def b64(data):
    return base64.b64encode(data).rstrip(b'=')


def bech32(hrp, data):
    """BIP 173; hrp in lower case."""
    letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

    def polymod(values):
        sum_ = 1
        for v in values:
            top = sum_ >> 25
            sum_ = (sum_ & 0x1ffffff) << 5 ^ v
            for i, g in enumerate((0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3)):
                sum_ ^= g if top >> i & 1 else 0
        return sum_

    bits = ''.join(f'{x:08b}' for x in data)
    bits += '0' * (-len(bits) % 5)
    five = [int(bits[i:i + 5], 2) for i in range(0, len(bits), 5)]
    head = [ord(c) >> 5 for c in hrp] + [0] + [ord(c) & 31 for c in hrp]
    check = polymod(head + five + [0] * 6) ^ 1
    return hrp + '1' + ''.join(letters[v] for v in five + [check >> 5 * (5 - i) & 31 for i in range(6)])


def made(label, size):
    """Bytes that look random and are always the same."""
    return b''.join(hashlib.sha256(b'gpusend vectors %s %d' % (label.encode(), i)).digest() for i in range(size // 32 + 1))[:size]


V1 = b'age-encryption.org/v1\n'
SECRET = made('identity', 32)
OTHER = made('another identity', 32)
PASS = 'correct horse'
FILE_KEY = made('file key', 16)
NONCE = made('payload nonce', 16)
CHUNK = 65536


def stanza_x25519(secret, label='ephemeral'):
    ephemeral = made(label, 32)
    share, recipient = public(ephemeral), public(secret)
    key = hkdf(x25519(ephemeral, recipient), share + recipient, b'age-encryption.org/v1/X25519')
    return b'-> X25519 ' + b64(share) + b'\n' + b64(aead(key, bytes(12), FILE_KEY)) + b'\n'


def stanza_scrypt(phrase, log_n, written=None):
    salt = made('salt', 16)
    key = hashlib.scrypt(phrase.encode(), salt=b'age-encryption.org/v1/scrypt' + salt, n=1 << log_n, r=8, p=1, dklen=32)
    return b'-> scrypt ' + b64(salt) + b' ' + (written or str(log_n)).encode() + b'\n' + b64(aead(key, bytes(12), FILE_KEY)) + b'\n'


def header(*stanzas, start=V1):
    text = start + b''.join(stanzas) + b'---'
    return text + b' ' + b64(hmac.new(hkdf(FILE_KEY, b'', b'header'), text, hashlib.sha256).digest()) + b'\n'


def chunk(index, last, text):
    return aead(hkdf(FILE_KEY, NONCE, b'payload'), index.to_bytes(11, 'big') + bytes([last]), text)


def payload(text):
    pieces = [text[i:i + CHUNK] for i in range(0, len(text), CHUNK)] or [b'']
    return NONCE + b''.join(chunk(i, i == len(pieces) - 1, t) for i, t in enumerate(pieces))


def armor(data, end='\n'):
    text = base64.b64encode(data).decode()
    lines = ['-----BEGIN AGE ENCRYPTED FILE-----', *(text[i:i + 64] for i in range(0, len(text), 64)),
             '-----END AGE ENCRYPTED FILE-----']
    return ''.join(line + end for line in lines).encode()


def spare_bit(text):
    """Armor with padding, and a bit set in its last character that belongs to no byte."""
    at = text.index(b'=')
    return text[:at - 1] + bytes([text[at - 1] + 1]) + text[at:]


def flip(data, at):
    """The lowest bit of one byte."""
    data = bytearray(data)
    data[at] ^= 1
    return bytes(data)


def vectors():
    """(name, outcome, key, bytes, what may be released)"""
    identity = bech32('age-secret-key-', SECRET).upper()
    other = bech32('age-secret-key-', OTHER).upper()
    text = b'One small secret.\n'
    large = made('large', 32) * (CHUNK // 32) + b'and a little more\n'
    full = large[:CHUNK]
    mine = header(stanza_x25519(SECRET))
    phrase = header(stanza_scrypt(PASS, 10))
    small = mine + payload(text)
    two = mine + payload(large)
    padded = mine + payload(text + b'.' * ((1 - len(small)) % 3))
    border = len(mine) + 16 + CHUNK + 16

    yield 'x25519', 'ok', identity, small, text
    yield 'x25519_second', 'ok', identity, header(stanza_x25519(OTHER), stanza_x25519(SECRET, 'second')) + payload(text), text
    yield 'foreign_stanza', 'ok', identity, header(b'-> example.org/new a b\nQUJD\n', stanza_x25519(SECRET)) + payload(text), text
    yield 'passphrase', 'ok', 'pass:' + PASS, phrase + payload(text), text
    yield 'armored', 'ok', identity, armor(small), text
    yield 'armored_crlf', 'ok', identity, armor(small, '\r\n'), text
    yield 'empty_payload', 'ok', identity, mine + payload(b''), b''
    yield 'two_chunks', 'ok', identity, two, large
    yield 'full_chunk', 'ok', identity, mine + payload(full), full

    yield 'wrong_key', 'no_match', other, small, b''
    yield 'wrong_passphrase', 'wrong_passphrase', 'pass:' + PASS + '?', phrase + payload(text), b''
    yield 'passphrase_for_keys', 'no_match', 'pass:' + PASS, small, b''
    yield 'work_factor_23', 'work_factor', 'pass:' + PASS, header(stanza_scrypt(PASS, 10, '23')) + payload(text), b''
    yield 'work_factor_33', 'work_factor', 'pass:' + PASS, header(stanza_scrypt(PASS, 1, '33')) + payload(text), b''
    yield 'work_factor_65', 'work_factor', 'pass:' + PASS, header(stanza_scrypt(PASS, 1, '65')) + payload(text), b''
    yield 'work_factor_octal', 'bad_header', 'pass:' + PASS, header(stanza_scrypt(PASS, 10, '010')) + payload(text), b''
    yield 'scrypt_and_x25519', 'bad_header', 'pass:' + PASS, header(stanza_scrypt(PASS, 10), stanza_x25519(SECRET)) + payload(text), b''

    yield 'not_age', 'not_age', identity, b'PK\3\4 this is something else\n', b''
    yield 'version_2', 'bad_version', identity, header(stanza_x25519(SECRET), start=b'age-encryption.org/v2\n') + payload(text), b''
    yield 'header_crlf', 'bad_header', identity, small.replace(b'\n', b'\r\n', 3), b''
    yield 'header_cut', 'more', identity, small[:100], b''
    yield 'header_cut_nonce', 'more', identity, small[:len(mine) + 15], b''
    yield 'hmac_bad', 'bad_hmac', identity, small[:len(mine) - 10] + bytes([small[len(mine) - 10] ^ 1]) + small[len(mine) - 9:], b''
    yield 'header_added', 'bad_hmac', identity, V1 + b'-> more\n\n' + small[len(V1):], b''
    yield 'stanzas_1025', 'limit', identity, header(*[b'-> a\n\n'] * 1024, stanza_x25519(SECRET)) + payload(text), b''

    yield 'payload_altered', 'bad_payload', identity, flip(small, len(mine) + 16), b''
    yield 'payload_tag_altered', 'bad_payload', identity, flip(small, -1), b''
    yield 'payload_nonce_altered', 'bad_payload', identity, flip(small, len(mine)), b''
    yield 'payload_second_altered', 'bad_payload', identity, flip(two, border + 2), full
    yield 'payload_cut', 'bad_payload', identity, small[:-1], b''
    yield 'payload_cut_all', 'cut', identity, small[:len(mine) + 16], b''
    yield 'payload_cut_at_border', 'cut', identity, two[:border], full
    yield 'payload_cut_in_second', 'bad_payload', identity, two[:-1], full
    yield 'trailing_bytes', 'bad_payload', identity, small + b'x', b''
    yield 'trailing_after_full', 'trailing', identity, mine + payload(full) + b'x', full
    yield 'empty_last_chunk', 'bad_payload', identity, mine + NONCE + chunk(0, 0, full) + chunk(1, 1, b''), full

    yield 'armor_cut', 'bad_armor', identity, armor(small)[:-20], b''
    yield 'armor_not_canonical', 'bad_armor', identity, spare_bit(armor(padded)), b''
    yield 'armor_no_padding', 'bad_armor', identity, armor(padded).replace(b'=', b''), b''
    yield 'armor_trailing', 'bad_armor', identity, armor(small) + b'more\n', b''
    yield 'armor_blank_line', 'bad_armor', identity, armor(small).replace(b'\n', b'\n\n', 1), b''


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    index = ['# file, outcome (the names of age_err.h), SHA-256 of what may be released, identity or pass:PASSPHRASE']
    for name, outcome, key, data, released in vectors():
        with open(os.path.join(out, name + '.age'), 'wb') as f:
            f.write(data)
        index.append('\t'.join((name, outcome, hashlib.sha256(released).hexdigest(), key)))
    with open(os.path.join(out, 'INDEX'), 'w') as f:
        f.write('\n'.join(index) + '\n')


main()
