"""A server as users start it, with people who have accounts on it."""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from shutil import copytree, ignore_patterns
from time import monotonic, sleep
from typing import Any
from urllib.request import HTTPCookieProcessor, Request, build_opener

from tests.support.command import COMMAND

ROOT = Path(__file__).parents[2]
EXAMPLES = ("travel", "support", "office")
PASSWORD = "a long way to Tipperary"
_LINK = re.compile(r"http://127\.0\.0\.1:\d+/setup/\S+")


def examples(folder: Path) -> list[Path]:
    """The example agents, copied here with none of the data that others made with them."""
    for name in EXAMPLES:
        unused = ignore_patterns(".pointsman", "__pycache__")
        copytree(ROOT / "examples" / name, folder / name, ignore=unused)
    return [folder / name for name in EXAMPLES]


@dataclass
class Person:
    """Somebody who asks over HTTP as the console does."""

    url: str
    csrf: str = ""
    _opener: Any = field(default_factory=lambda: build_opener(HTTPCookieProcessor(CookieJar())))

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """The answer's JSON; None when it has no body."""
        request = Request(self.url + path, method=method)
        request.add_header("x-csrf-token", self.csrf)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("content-type", "application/json")
        with self._opener.open(request, timeout=30) as response:
            text = response.read()
        answer = json.loads(text) if text else None
        if isinstance(answer, dict) and answer.get("csrf"):
            self.csrf = answer["csrf"]
        return answer


@dataclass
class Server:
    """A running server.

    Attributes:
        link: creates the first administrator, once.
    """

    url: str
    link: str

    def admin(self, login: str = "anna") -> Person:
        """The first administrator, created."""
        person = Person(self.url)
        code = self.link.rpartition("/")[2]
        person.ask(
            "POST", "/api/setup", {"code": code, "login": login, "password": PASSWORD, "name": ""}
        )
        return person

    def invite(self, admin: Person, login: str, *roles: str) -> Person:
        """Somebody whom the administrator has invited, signed in."""
        made = admin.ask("POST", "/api/users", {"login": login, "name": "", "roles": [*roles]})
        code = made["invitation"].rpartition("/")[2]
        person = Person(self.url)
        person.ask("POST", f"/api/invitations/{code}", {"password": PASSWORD})
        person.ask("POST", "/api/session", {"login": login, "password": PASSWORD})
        return person


@contextmanager
def serving(agents: Sequence[Path], folder: Path, **environ: str) -> Iterator[Server]:
    """`pointsman serve` with these agents, the directory of one that has one, and its database in
    the folder."""
    command = [COMMAND, "serve", *map(str, agents), "--port", "0"]
    settings = {f"POINTSMAN_{name.upper()}": value for name, value in environ.items()}
    for agent in agents:
        if (people := agent / "directory.yaml").is_file():
            settings["POINTSMAN_DIRECTORY"] = str(people)
    log = folder / "server.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            [*command, "--data", str(folder / "data")],
            cwd=folder,
            env={**os.environ, "POINTSMAN_LANGUAGE": "en", "PYTHONUNBUFFERED": "1", **settings},
            stdout=written,
            stderr=subprocess.STDOUT,
        )
        try:
            link = _wait_for_link(process, log)
            yield Server(url=link.partition("/setup/")[0], link=link)
        finally:
            process.terminate()
            process.wait(30)


def _wait_for_link(process: "subprocess.Popen[bytes]", log: Path) -> str:
    """The link, once the server answers."""
    end = monotonic() + 60
    while monotonic() < end and process.poll() is None:
        if found := _LINK.search(log.read_text("utf-8", "replace")):
            try:
                Person(found[0].partition("/setup/")[0]).ask("GET", "/healthz")
            except OSError:
                """It does not listen yet."""
            else:
                return found[0]
        sleep(0.1)
    raise AssertionError("the server did not start:\n" + log.read_text("utf-8", "replace"))
