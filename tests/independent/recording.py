"""Reads a recording as resources/manual/reference/recording says, with nothing of Haloscope's own code."""
import sqlite3
import struct
import zlib
from itertools import accumulate

COLUMNS = ["begin", "duration", "kind", "name", "layer", "pass", "epoch", "peer", "bytes", "message"]


def columns_of(block):
    """The columns of a span block, by name."""
    assert block[:4] == b"HSPB" and block[4] in (1, 2)
    assert zlib.crc32(block[20:], zlib.crc32(block[:16])) == struct.unpack_from("<I", block, 16)[0]
    count, longs = struct.unpack_from("<II", block, 8)
    names = COLUMNS[: 8 + block[4]]
    bases = 24 + len(names)
    body = block[bases + 8 * len(names):]
    body = zlib.decompress(body) if block[6] & 1 else body
    columns, at = {}, 0
    for i, name in enumerate(names):
        width, base = block[24 + i], struct.unpack_from("<q", block, bases + 8 * i)[0]
        steps = struct.unpack_from(f"<{count}{' BH I   Q'[width]}", body, at) if width else [0] * count
        columns[name] = [base + value for value in (accumulate(steps) if i == 0 else steps)]
        at += width * count
    for i in range(longs):
        index, duration = struct.unpack_from("<Iq", body, at + 12 * i)
        columns["duration"][index] = duration
    return columns


class Recording:
    def __init__(self, file):
        self.db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        self.db.row_factory = sqlite3.Row
        self.names = dict(self.db.execute("SELECT name, text FROM span_name"))
        self.kinds = dict(self.db.execute("SELECT kind, text FROM span_kind"))

    def rows(self, sql, *values):
        return [dict(row) for row in self.db.execute(sql, values)]

    def epochs(self, run):
        """In order; the first and those that fill a pipeline are marked."""
        epochs = self.rows("SELECT * FROM epoch WHERE run_id = ? ORDER BY epoch", run)
        for i, epoch in enumerate(epochs):
            epoch["timed"] = (i > 0 or len(epochs) == 1) and not epoch.get("filling", 0)
        return epochs

    def spans(self, run):
        """All spans, each a dict with its lane, rank and the words for name and kind."""
        for rank, lane, actor, block in self.db.execute(
                "SELECT rank, lane, actor, spans FROM span_block WHERE run_id = ? ORDER BY id", (run,)):
            columns = columns_of(block)
            columns.setdefault("message", [-1] * len(columns["begin"]))
            for begin, duration, kind, name, layer, phase, epoch, peer, message in zip(
                    *(columns[c] for c in ("begin", "duration", "kind", "name", "layer", "pass", "epoch", "peer", "message"))):
                yield {"rank": rank, "lane": lane, "begin": begin, "end": begin + duration, "peer": peer,
                       "kind": self.kinds[kind], "name": self.names[name], "layer": layer,
                       "pass": ("none", "forward", "backward")[phase], "epoch": epoch, "actor": actor,
                       "message": message}
