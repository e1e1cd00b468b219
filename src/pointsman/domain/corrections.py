"""Whether a user's next words correct how his last ones were taken. Pure."""

import re
import unicodedata
from itertools import pairwise

SIMILAR = 0.35
"""From this share of common pairs of letters two messages say the same in other words."""

_NO = re.compile(
    r"^\W*(?:不是|不对|不，|不,|错了?|搞错|弄错|误会|我(?:不是|是说|说的是|的意思|要的是|想要的是|指的是|问的是)"
    r"|(?:我)?没(?:有)?(?:要|说|想)|(?:no|nope|not|wrong|actually|sorry)\b"
    r"|i (?:mean|meant|asked|wanted|did ?n[o']t|was asking)\b|that(?:'s| is) not\b|what i mean)",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"而不是|，不是|\binstead\b|\brather than\b|\bi meant\b", re.IGNORECASE)


def corrects(said: str, then: str) -> bool:
    """Whether ``then`` takes back how ``said`` was understood: it begins like a correction, or says
    nearly the same again."""
    if _NO.search(then) or _INSTEAD.search(then):
        return True
    one, other = _pairs(said), _pairs(then)
    if not one or not other:
        return False
    return len(one & other) / len(one | other) >= SIMILAR


def _pairs(text: str) -> set[str]:
    plain = [c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum()]
    return {"".join(pair) for pair in pairwise(plain)}
