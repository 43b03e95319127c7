"""Prints the results of all cases, a line of JSON for each: for MicroPython."""

import json
import struct

from cases import TABLES, run


def encoded(result):
    """Return a float as its bits, since printing it might round."""
    return struct.pack(">d", result).hex() if isinstance(result, float) else ["text", result]


for table in TABLES:
    for row in TABLES[table][1]:
        print(json.dumps([table, row[0], [encoded(result) for result in run(table, row)]]))
