"""Where the nodes of a graph stand, and which way its edges take.

Nodes stand in columns, by the longest path that leads to them. Within a column they are sorted so
that few edges cross, and moved so that edges are straight. Runs in CPython and in MicroPython.
"""
# ruff: noqa: B905 (MicroPython's zip has no strict)

import math

HEAD = 40  # room above dots, for long edges


class Spot:
    """A place in a column: of a node, or of none where a long edge passes between nodes."""

    half, reach = 0, 0  # half the width of its shape, and of its widest text
    top = bottom = 14  # how much room it takes above and below its middle
    x = y = column = row = 0

    def __init__(self, node=None):
        self.node, self.sources, self.targets = node, [], []


def set_columns(edges, late):
    """Give spots their columns.

    edges: spots (start, end, what flows); those that lead to a spot come after those from it.
    late: spots that stand just before their first use, not in the first column.
    """
    for start, end, _ in edges[::-1]:
        if end.column <= start.column:
            end.column = start.column + 1
    for spot in late:
        spot.column = math.inf
    for start, end, _ in edges:
        if start.column >= end.column:
            start.column = end.column - 1


def place(spots, edges, widths):
    """Place spots that have columns; return them in order, routes of the edges, width, height.

    A route is a list of spots from the start of an edge to its end. widths: of a text for each
    edge, for which there will be room if the edge leads to the next column.
    """
    grid, routes = _grid(spots), []
    for start, end, _ in edges:
        between = grid[start.column + 1 : end.column]
        for column in between:
            column.append(Spot())
        routes.append([start] + [column[-1] for column in between] + [end])
        for a, b in zip(routes[-1], routes[-1][1:]):
            a.targets.append(b)
            b.sources.append(a)
    grid = _sorted(grid)
    width, height = _place_columns(grid, routes, widths), _place_rows(grid, 7)
    return [spot for column in grid for spot in column if spot.node], routes, width, height


def place_dots(spots, edges, left):
    """Place spots close to each other; return them in order, the columns' distance, the height."""
    grid = _grid(spots)
    for start, end, _ in edges:
        start.targets.append(end)
        end.sources.append(start)
    distance = max(3, min(24, 900 // len(grid)))
    high = max(4, min(16, 400 // max([len(column) for column in grid])))
    for column in grid:
        _sort(column, "sources")  # once: to count crossings takes more than linear time
        for spot in column:
            spot.x, spot.top, spot.bottom = left + spot.column * distance, high, -4
    height = _place_rows(grid, 4, HEAD)
    return [spot for column in grid for spot in column], distance, height


def _grid(spots):
    grid = [[] for _ in range(max([spot.column for spot in spots]) + 1)]
    for spot in spots:
        grid[spot.column].append(spot)
    return grid


def _sorted(grid):
    """Sort columns by the mean row of what the spots are connected with, there and back."""
    for column in grid:
        _number(column)
    fewest, best = math.inf, grid
    for sweep in range(5):
        crossings = sum([_crossings(column) for column in grid])
        if crossings < fewest:
            fewest, best = crossings, [column[:] for column in grid]
        if not crossings or sweep == 4:
            break
        for column in grid[::-1] if sweep % 2 else grid:
            _sort(column, "targets" if sweep % 2 else "sources")
    return best


def _number(column):
    for row, spot in enumerate(column):
        spot.row = row


def _sort(column, side):
    if len(column) == 1:
        return
    for row, spot in enumerate(column):
        rows = [each.row for each in getattr(spot, side)]
        spot.wish = (sum(rows) / len(rows) if rows else row, row)
    column.sort(key=lambda spot: spot.wish)
    _number(column)


def _crossings(column):
    """Return how many edges to the right of a column cross."""
    count, seen = 0, []
    for spot in column:
        rows = [target.row for target in spot.targets]
        for row in rows:
            for other in seen:
                if other > row:
                    count += 1
        seen += rows
    return count


def _place_columns(grid, routes, widths):
    """Give every spot its x, so that the texts of edges have room; return the width."""
    room, x, crowd = [54] * len(grid), 6, [0] * len(grid)
    for route, width in zip(routes, widths):
        if len(route) == 2:
            i = route[0].column
            crowd[i] += 1
            room[i] = max(room[i], width + 22, 36 + 8 * crowd[i])
    for i, column in enumerate(grid):
        half = max([spot.half for spot in column])
        reach = max([spot.reach for spot in column])
        over = (reach - half) / 2  # half of what texts reach into the gaps
        x = math.ceil(x + half + over if i else x + reach)
        for spot in column:
            spot.x, spot.half = x, spot.half or half  # past a wide node an edge is straight
        x += half + over + room[i]
    return column[0].x + reach + 6


def _place_rows(grid, sweeps, head=0):
    """Give every spot its y, near to those that it is connected with; return the height."""
    for column in grid:
        shift = -column[0].top
        for spot in column:
            spot.near = spot.sources + spot.targets
            spot.shift = shift + spot.top
            shift = spot.shift + spot.bottom + 4
    for sweep in range(sweeps):
        side = "near" if sweep > 1 else "targets" if sweep else "sources"
        for column in grid[::-1] if sweep % 2 else grid:
            _settle(column, side)
    top = min([column[0].y - column[0].top for column in grid]) - 6.5
    for column in grid:
        for spot in column:
            spot.y = head + math.floor(spot.y - top)
    return max([column[-1].y + column[-1].bottom for column in grid]) + 6


def _settle(column, side):
    """Move the spots of a column as near to their neighbours as the room that each needs allows."""
    blocks = []  # of spots that touch: the sum of their wishes, and how many they are
    for spot in column:
        wish, near = 0, getattr(spot, side)
        for each in near:
            wish += each.y
        wish = wish / len(near) if near else spot.y
        if len(column) == 1:
            spot.y = wish
            return
        wish, count = wish - spot.shift, 1
        while blocks and blocks[-1][0] * count >= wish * blocks[-1][1]:
            wish, count = wish + blocks[-1][0], count + blocks.pop()[1]
        blocks.append((wish, count))
    means = [wish / count for wish, count in blocks for _ in range(count)]
    for spot, mean in zip(column, means):
        spot.y = mean + spot.shift


def ports(routes):
    """Return how far below the middle of its spots each route starts, and ends."""
    return zip(_spread(routes, 0, 1), _spread(routes, -1, -2))


def _spread(routes, end, following):
    offsets, groups = [0] * len(routes), {}
    for k, route in enumerate(routes):
        groups.setdefault(id(route[end]), []).append((route[following].y, k))
    for group in groups.values():
        group.sort()
        step = min(10, 20 / max(1, len(group) - 1))
        for i, (_, k) in enumerate(group):
            offsets[k] = math.floor((i - (len(group) - 1) / 2) * step)
    return offsets
