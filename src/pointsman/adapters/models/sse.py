"""A byte-level event-stream reader: bytes as they come in, the data of whole events out.

Above: ``chat_completions``, which reads a socket. Below: nothing. It knows no JSON and no model.

Source: WHATWG HTML, "Server-sent events", parsing and interpreting an event stream; two tolerances
of our own are noted at ``EventStream``.
"""

from pointsman.errors import ModelProtocolError

MAX_EVENT_BYTES = 8 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_FIELD = b"data: "
_LF = 10


class EventStream:
    """Gives the data of each event once, however the bytes were cut into reads.

    The work is linear in the bytes. LF, CR and CRLF end a line. An event without data is none;
    comments and the fields ``id``, ``event`` and ``retry`` are passed over.

    More tolerant than the standard in two points: an event that the end of the stream cuts off is
    given (its data says whether it is whole), and so is JSON that stands there without ``data:``,
    as from a server that answers a streamed question with a plain error body.
    """

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max = max_event_bytes
        self._partial = bytearray()
        self._lines: list[bytes] = []
        self._size = 0
        self._started = False
        self._bare = False
        self._after_cr = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of the events that these bytes complete.

        Raises:
            ModelProtocolError: an event is larger than ``max_event_bytes``.
        """
        chunk = self._with_lf(chunk)
        events: list[bytes] = []
        position, end = 0, len(chunk)
        while position < end:
            if not (self._partial or self._lines or self._bare):
                position = self._take_plain(chunk, position, events)
            line_end = chunk.find(b"\n", position)
            if line_end < 0:
                self._partial += chunk[position:]
                self._check(len(self._partial))
                break
            line = chunk[position:line_end]
            if self._partial:
                line = bytes(self._partial + line)
                self._partial.clear()
            position = line_end + 1
            self._take_line(line, events)
        return events

    def end(self) -> list[bytes]:
        """The data of the event that the end of the stream left open, if any."""
        events: list[bytes] = []
        if self._partial:
            line = bytes(self._partial)
            self._partial.clear()
            self._take_line(line, events)
        self._bare = False
        self._dispatch(events)
        return events

    def _with_lf(self, chunk: bytes) -> bytes:
        """The bytes with every line end as LF, also when CR and LF come in two reads."""
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[0] == _LF:
                chunk = chunk[1:]
        if b"\r" not in chunk:
            return chunk
        self._after_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _take_plain(self, chunk: bytes, position: int, events: list[bytes]) -> int:
        """Take the run of ordinary ``data: …`` events that starts here; the position after it."""
        while chunk.startswith(_FIELD, position):
            line_end = chunk.find(b"\n", position)
            if line_end < 0 or line_end + 1 == len(chunk) or chunk[line_end + 1] != _LF:
                break
            start = position + len(_FIELD)
            if line_end > start:
                self._started = True
                self._check(line_end - start)
                events.append(chunk[start:line_end])
            position = line_end + 2
        return position

    def _take_line(self, line: bytes, events: list[bytes]) -> None:
        if not self._started:
            line = line.removeprefix(_BOM)
            if not line:
                return
            self._started = True
            self._bare = line.startswith(b"{") and not line.endswith(b"}")
        if self._bare:
            self._keep(line)
        elif not line:
            self._dispatch(events)
        elif line.startswith(b"{") and not self._lines:
            self._keep(line)
            self._dispatch(events)
        else:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._keep(value.removeprefix(b" "))

    def _keep(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line)
        self._check(self._size)

    def _dispatch(self, events: list[bytes]) -> None:
        if self._size:
            events.append(b"\n".join(self._lines) if len(self._lines) > 1 else self._lines[0])
        self._lines.clear()
        self._size = 0

    def _check(self, size: int) -> None:
        if size > self._max:
            raise ModelProtocolError(
                f"the model's server sent an event of more than {self._max} bytes"
            )
