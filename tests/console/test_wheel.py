"""What of the console is in a wheel."""

import re
from pathlib import Path

from tests.support.wheels import wheel_of


def test_the_wheel_holds_the_console_with_the_licences_of_its_parts(tmp_path: Path) -> None:
    with wheel_of(tmp_path) as wheel:
        folder = "pointsman/entrypoints/console/dist/"
        held = {one.removeprefix(folder) for one in wheel.namelist() if one.startswith(folder)}
        page = wheel.read(folder + "index.html").decode()
        licences = wheel.read(folder + "licences.txt").decode()
    assert set(re.findall(r'(?:src|href)="/([^"]+)"', page)) <= held
    for part in ("antd", "@ant-design/x", "react-dom", "marked"):
        assert f"## {part} - " in licences
