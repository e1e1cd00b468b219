"""Functions named in an agent file: ``tools:query_order``, a function of the folder's ``tools.py``.

The folder becomes a package of its own, so that two agents may both have a ``tools.py``; inside of
it modules import one another with ``from .prices import …``. What is not in the folder is imported
as usual.
"""

import hashlib
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from pointsman.adapters.tools.functions import is_declared
from pointsman.errors import ToolDefinitionError


def load_functions(target: str, *, folder: Path | None = None) -> list[Callable[..., Any]]:
    """The functions that an import string names.

    Args:
        target: ``module:function``, or ``module`` for all its functions under ``@tool``.
        folder: the agent folder; modules in it come first.

    Raises:
        ToolDefinitionError: no such module or function, or the module cannot be imported.
    """
    module_name, colon, name = target.partition(":")
    if not all(part.isidentifier() for part in module_name.split(".")):
        raise ToolDefinitionError(f"{target!r} is not of the form module:function")
    module = _module(module_name, folder)
    if not colon:
        declared = [value for value in vars(module).values() if is_declared(value)]
        own = [function for function in declared if function.__module__ == module.__name__]
        if not own:
            raise ToolDefinitionError(f"{module_name} has no function under @tool")
        return own
    function = getattr(module, name, None)
    if not callable(function):
        problem = "is not a function" if hasattr(module, name) else "does not exist"
        raise ToolDefinitionError(f"{target}: {name!r} {problem} in {module.__file__}")
    return [function]


def forget(folder: Path) -> None:
    """Let the folder's modules be imported anew when they are named next. What was imported goes on
    as it was."""
    name = _package_name(folder.resolve())
    for known in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        del sys.modules[known]
    importlib.invalidate_caches()


def _module(name: str, folder: Path | None) -> ModuleType:
    full = name
    if folder is not None and _is_inside(name, folder):
        full = f"{_package(folder.resolve())}.{name}"
    try:
        return importlib.import_module(full)
    except (Exception, SystemExit) as fault:  # the border to foreign code
        problem = f"{type(fault).__name__}: {fault}"
        if isinstance(fault, ModuleNotFoundError) and folder is not None:
            missing = (fault.name or "").split(".")[0]
            if missing != name.split(".")[0] and _is_inside(missing, folder):
                problem += f" (write `from .{missing} import …`)"
        raise ToolDefinitionError(f"module {name!r} cannot be imported: {problem}") from fault


def _is_inside(name: str, folder: Path) -> bool:
    place = folder.joinpath(*name.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def _package(folder: Path) -> str:
    """The name of the package that stands for the folder."""
    name = _package_name(folder)
    if name not in sys.modules:
        package = ModuleType(name, f"The agent folder {folder}.")
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


def _package_name(folder: Path) -> str:
    return f"pointsman_agent_{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"
