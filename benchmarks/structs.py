"""What a journal event costs as a msgspec Struct, a frozen dataclass and a pydantic model.

Each is created from keywords and encoded to JSON, as the journal does for every event.
Run: ``make bench``. Quoted by ``docs/adr/0002``.
"""

import json
from dataclasses import asdict, dataclass
from timeit import repeat
from typing import TypedDict

import msgspec
import pydantic

ROUNDS = 100_000


class Event(TypedDict):
    call: str
    attempt: int
    status: str
    content: str
    seconds: float


EVENT = Event(call="2.0", attempt=1, status="ok", content="晴，18 到 26 度", seconds=0.125)


class AsStruct(msgspec.Struct, frozen=True, kw_only=True):
    call: str
    attempt: int
    status: str
    content: str
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AsDataclass:
    call: str
    attempt: int
    status: str
    content: str
    seconds: float


class AsModel(pydantic.BaseModel, frozen=True):
    call: str
    attempt: int
    status: str
    content: str
    seconds: float


def main() -> None:
    encode = msgspec.json.Encoder().encode
    measured = {
        "msgspec.Struct": lambda: encode(AsStruct(**EVENT)),
        "frozen dataclass + msgspec": lambda: encode(AsDataclass(**EVENT)),
        "frozen dataclass + json": lambda: json.dumps(
            asdict(AsDataclass(**EVENT)), ensure_ascii=False
        ).encode(),
        "pydantic model": lambda: AsModel(**EVENT).model_dump_json().encode(),
    }
    fastest = 0.0
    for name, action in measured.items():
        micros = min(repeat(action, number=ROUNDS, repeat=5)) / ROUNDS * 1e6
        fastest = fastest or micros
        print(f"{name:28} {micros:6.2f} µs   x{micros / fastest:.1f}")


if __name__ == "__main__":
    main()
