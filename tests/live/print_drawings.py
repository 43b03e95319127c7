"""Prints the pictures of all graphs, a line of JSON for each: for MicroPython."""

import json

from graphs_to_draw import GRAPHS, built

from gradvalve.drawing import number
from gradvalve.graph_drawing import WORDS, picture

for name, _ in GRAPHS:
    loss, wrt = built(name)
    print(json.dumps([name, picture(loss, wrt, WORDS, number, str)]))
