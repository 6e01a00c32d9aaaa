"""A layered layout: places for the nodes of a graph, and the points that its edges pass. Deterministic, and near-linear in its size.

The steps are those of Sugiyama: layers by longest path, stand-ins where an edge crosses a layer, barycenters for the order inside a
layer, and least squares for the places. Left to right; parts that no edge joins are laid out on their own and set side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

SWEEPS = 10
"""Passes over the layers for their order, and again for the places."""
ROW_GAP = 14.0
COLUMN_GAP = 54.0
PART_GAP = 34.0
STAND_IN = 3.0
"""Height kept for an edge that crosses a layer."""
WIDEST = 1_500.0
"""Parts are set side by side up to this width, if none of them is wider."""


class Box(NamedTuple):
    """A node to place. `column` says whether it stands in even (0) or odd (1) layers, so that kinds of nodes alternate."""

    width: float
    height: float
    column: int


class Arc(NamedTuple):
    """An edge between two boxes, by number. One that does not `lead` has no say in which layer its ends are.

    Edges of one `style` that start on the same side of the same box share their way until they have to part.
    """

    source: int
    target: int
    leads: bool = True
    style: str = ""


class Point(NamedTuple):
    """A place, in pixels from the left and the top."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The centres of the boxes, the points of each arc from source to target, and the size of the whole."""

    centres: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]
    width: float
    height: float


def lay_out(boxes: Sequence[Box], arcs: Sequence[Arc]) -> Layout:
    """Place `boxes` so that most arcs go from left to right and few cross."""
    parts = [_Part(boxes, arcs, members, own) for members, own in _parts(len(boxes), arcs)]
    parts.sort(key=lambda part: -part.height)
    limit = max([WIDEST, *(part.width for part in parts)])
    centres: dict[int, Point] = {}
    routes: dict[int, tuple[Point, ...]] = {}
    left = top = row = width = 0.0
    for part in parts:
        if left and left + part.width > limit:
            left, top, row = 0.0, top + row + PART_GAP, 0.0
        centres |= {node: Point(at.x + left, at.y + top) for node, at in part.centres.items()}
        routes |= {arc: tuple(Point(x + left, y + top) for x, y in points) for arc, points in part.routes.items()}
        width, row, left = max(width, left + part.width), max(row, part.height), left + part.width + PART_GAP
    return Layout(tuple(centres[n] for n in range(len(boxes))), tuple(routes[n] for n in range(len(arcs))), width, top + row)


def _parts(count: int, arcs: Sequence[Arc]) -> list[tuple[list[int], list[int]]]:
    """Nodes that edges join, with the numbers of those edges."""
    root = list(range(count))

    def find(node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for arc in arcs:
        one, other = sorted((find(arc.source), find(arc.target)))
        root[other] = one
    parts: dict[int, tuple[list[int], list[int]]] = {}
    for node in range(count):
        parts.setdefault(find(node), ([], []))[0].append(node)
    for number, arc in enumerate(arcs):
        parts[find(arc.source)][1].append(number)
    return list(parts.values())


@dataclass
class _Spot:
    """A node in a layer, or a stand-in where an edge crosses one (`node` is -1)."""

    node: int
    layer: int
    height: float
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    order: float = 0.0
    y: float = 0.0


class _Part:
    """The layout of one connected part."""

    def __init__(self, boxes: Sequence[Box], arcs: Sequence[Arc], members: list[int], own: list[int]) -> None:
        self._boxes, self._arcs, self._own = boxes, arcs, own
        self._layer = _layers(members, [arcs[number] for number in own], boxes)
        self._spots: list[_Spot] = []
        self._chains: dict[int, list[int]] = {}
        self._columns: list[list[int]] = [[] for _ in range(1 + max(self._layer.values()))]
        self._place_spots(members)
        self._order()
        self._settle()
        self._xs = self._column_places()
        self.height = max(spot.y + spot.height / 2 for spot in self._spots)
        self.centres = {spot.node: Point(self._xs[spot.layer][0], spot.y) for spot in self._spots if spot.node >= 0}
        self.routes = self._routes()

    def _place_spots(self, members: list[int]) -> None:
        spot_of: dict[int, int] = {}
        stand_ins: dict[tuple[int, bool, str, int], int] = {}
        for node in members:
            spot_of[node] = self._add(_Spot(node, self._layer[node], self._boxes[node].height))
        for number in self._own:
            arc = self._arcs[number]
            low, high = sorted((arc.source, arc.target), key=lambda node: self._layer[node])
            shared = (low, arc.source == low, arc.style)
            for layer in range(self._layer[low] + 1, self._layer[high]):
                if (*shared, layer) not in stand_ins:
                    stand_ins[(*shared, layer)] = self._add(_Spot(-1, layer, STAND_IN))
            between = [stand_ins[(*shared, layer)] for layer in range(self._layer[low] + 1, self._layer[high])]
            chain = [spot_of[low], *between, spot_of[high]]
            for one, other in pairwise(chain):
                if other not in self._spots[one].after or self._spots[one].node >= 0 <= self._spots[other].node:
                    self._spots[one].after.append(other)
                    self._spots[other].before.append(one)
            self._chains[number] = chain

    def _add(self, spot: _Spot) -> int:
        self._spots.append(spot)
        self._columns[spot.layer].append(len(self._spots) - 1)
        return len(self._spots) - 1

    # Order inside the layers

    def _order(self) -> None:
        for column in self._columns:
            self._number(column)
        best, fewest = [list(column) for column in self._columns], self._crossings()
        for sweep in range(SWEEPS):
            forward = sweep % 2 == 0
            for column in self._columns if forward else reversed(self._columns):
                for number in column:
                    spot = self._spots[number]
                    near = spot.before if forward else spot.after
                    if near:
                        spot.order = sum(self._spots[other].order for other in near) / len(near)
                column.sort(key=lambda number: self._spots[number].order)
                self._number(column)
            if (crossings := self._crossings()) < fewest:
                best, fewest = [list(column) for column in self._columns], crossings
        self._columns = best
        for column in self._columns:
            self._number(column)

    def _number(self, column: list[int]) -> None:
        for order, number in enumerate(column):
            self._spots[number].order = (order + 0.5) / len(column)

    def _crossings(self) -> int:
        """Pairs of edges that cross between neighbouring layers, counted with a binary indexed tree."""
        total = 0
        for column, following in pairwise(self._columns):
            rank = {number: order for order, number in enumerate(following)}
            tree = [0] * (len(following) + 1)
            seen = 0
            for number in column:
                ends = sorted(rank[other] for other in self._spots[number].after)
                for end in ends:
                    at, behind = end + 1, 0
                    while at:
                        behind += tree[at]
                        at &= at - 1
                    total += seen - behind
                for end in ends:
                    at = end + 1
                    while at <= len(following):
                        tree[at] += 1
                        at += at & -at
                seen += len(ends)
        return total

    # Places

    def _settle(self) -> None:
        """Move each spot towards its neighbours, as far as the order and the gaps allow."""
        for column in self._columns:
            self._spread(column, [0.0] * len(column))
        for sweep in range(2 * SWEEPS):
            columns = self._columns if sweep % 2 == 0 else self._columns[::-1]
            for column in columns:
                self._spread(column, [self._wish(self._spots[number], sweep) for number in column])
        top = min(spot.y - spot.height / 2 for spot in self._spots)
        for spot in self._spots:
            spot.y -= top

    def _wish(self, spot: _Spot, sweep: int) -> float:
        near = (spot.before or spot.after) if sweep % 2 == 0 else (spot.after or spot.before)
        if sweep >= SWEEPS:
            near = [*spot.before, *spot.after]
        return sum(self._spots[other].y for other in near) / len(near) if near else spot.y

    def _spread(self, column: list[int], wishes: list[float]) -> None:
        """The places nearest to `wishes`, in least squares, that keep order and gaps: neighbours that would clash are pooled."""
        offsets, at = [], 0.0
        for position, number in enumerate(column):
            height = self._spots[number].height
            at += height / 2 if position else 0.0
            offsets.append(at)
            at += height / 2 + ROW_GAP
        pools: list[tuple[float, int]] = []
        for wish, offset in zip(wishes, offsets, strict=True):
            total, count = wish - offset, 1
            while pools and pools[-1][0] / pools[-1][1] > total / count:
                before, number = pools.pop()
                total, count = total + before, count + number
            pools.append((total, count))
        places = [total / count for total, count in pools for _ in range(count)]
        for number, place, offset in zip(column, places, offsets, strict=True):
            self._spots[number].y = place + offset

    def _column_places(self) -> list[tuple[float, float]]:
        """The centre and the width of each layer. The gap grows with the edges that pass through it."""
        places, left = [], 0.0
        for column in self._columns:
            width = max((self._boxes[self._spots[n].node].width for n in column if self._spots[n].node >= 0), default=0.0)
            places.append((left + width / 2, width))
            left += width + COLUMN_GAP + min(90.0, 1.6 * sum(len(self._spots[n].after) for n in column))
        self.width = places[-1][0] + places[-1][1] / 2
        return places

    # Routes

    def _routes(self) -> dict[int, tuple[Point, ...]]:
        ports = self._ports()
        routes = {}
        for number, chain in self._chains.items():
            low, high = self._spots[chain[0]], self._spots[chain[-1]]
            points = [Point(self._side(low, 1), low.y + ports[chain[0], self._way(number, chain[1])])]
            for stand_in in chain[1:-1]:
                spot = self._spots[stand_in]
                centre, width = self._xs[spot.layer]
                points += [Point(centre - width / 2, spot.y), Point(centre + width / 2, spot.y)]
            points.append(Point(self._side(high, -1), high.y + ports[chain[-1], self._way(number, chain[-2])]))
            routes[number] = tuple(points if self._arcs[number].source == low.node else reversed(points))
        return routes

    def _side(self, spot: _Spot, direction: int) -> float:
        return self._xs[spot.layer][0] + direction * self._boxes[spot.node].width / 2

    def _way(self, number: int, neighbour: int) -> tuple[int, str]:
        """What tells apart the edges at a side of a box: where they go, and their style."""
        return neighbour, self._arcs[number].style

    def _ports(self) -> Mapping[tuple[int, tuple[int, str]], float]:
        """Where on the side of its box each edge starts and ends, from the middle: spread, in the order of the other ends."""
        sides: dict[tuple[int, bool], set[tuple[float, tuple[int, str]]]] = {}
        for number, chain in self._chains.items():
            for end, neighbour, right in ((chain[0], chain[1], True), (chain[-1], chain[-2], False)):
                sides.setdefault((end, right), set()).add((self._spots[neighbour].y, self._way(number, neighbour)))
        ports = {}
        for (spot, _), ways in sides.items():
            room = min(self._spots[spot].height - 12.0, 7.0 * (len(ways) - 1))
            for position, (_, way) in enumerate(sorted(ways)):
                ports[spot, way] = room * (position / (len(ways) - 1) - 0.5) if len(ways) > 1 else 0.0
        return ports


def _layers(members: list[int], arcs: list[Arc], boxes: Sequence[Box]) -> dict[int, int]:
    """The layer of each node: one past the last of those before it; what has nothing before it stands next to what comes after."""
    after: dict[int, list[int]] = {node: [] for node in members}
    for arc in arcs:
        if arc.leads:
            after[arc.source].append(arc.target)
    finished = _acyclic(members, after)
    before: dict[int, list[int]] = {node: [] for node in members}
    for node, targets in after.items():
        for target in targets:
            before[target].append(node)
    layer: dict[int, int] = {}
    for node in finished:
        layer[node] = max((layer[other] + 1 for other in before[node]), default=boxes[node].column)
    for node in reversed(finished):
        if after[node] and not before[node]:
            layer[node] = min(layer[other] for other in after[node]) - 1
    for arc in arcs:
        # A fact that is only ever removed stands behind what removes it.
        if not arc.leads and not before[arc.target] and not after[arc.target]:
            layer[arc.target] = layer[arc.source] + 1
    lowest = min(layer.values())
    lowest -= lowest % 2
    return {node: at - lowest for node, at in layer.items()}


def _acyclic(members: list[int], after: dict[int, list[int]]) -> list[int]:
    """Take the edges that close a cycle out of `after`, and return the nodes in an order that the others respect."""
    state: dict[int, int] = {}
    finished: list[int] = []
    for start in members:
        stack = [(start, 0)] if start not in state else []
        state.setdefault(start, 1)
        while stack:
            node, position = stack.pop()
            if position == len(after[node]):
                state[node] = 2
                finished.append(node)
            elif state.get(target := after[node][position]) == 1:
                del after[node][position]
                stack.append((node, position))
            else:
                stack.append((node, position + 1))
                if target not in state:
                    state[target] = 1
                    stack.append((target, 0))
    return finished[::-1]
