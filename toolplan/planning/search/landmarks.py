"""Lower bounds from disjunctive action landmarks: LM-cut.

Helmert and Domshlak, "Landmarks, Critical Paths and Abstractions: What's the Difference Anyway?", ICAPS 2009, section 5.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush

from toolplan.planning.search.budget import Budget
from toolplan.planning.search.relaxation import GOAL, Relaxation

NOWHERE, BEFORE, ZONE = 0, 1, 2


class LandmarkCut:
    """The bound of one relaxed problem, as far as it was computed: no plan costs less than `bound`, if the goal is reachable.

    A landmark is a set of operators of which every plan uses one. Each takes the cost of its cheapest operator from all of its operators, so
    `taken`, the sum of that, never exceeds what a plan costs. `costs` is what was left: each plan costs at least `taken` plus what was left
    of its operators. `values` are the h-max values of the facts under these costs: the cost of the dearest thing on the cheapest way there.
    `supporters` has for each operator its dearest need, and is -1 for those that cannot be applied.
    """

    def __init__(self, relaxation: Relaxation, known: Sequence[int], costs: Sequence[int], forbidden: Collection[int] = ()) -> None:
        self.taken = 0
        self.costs = list(costs)
        self.landmarks: list[Sequence[int]] = []
        self.looks = 0
        self._relaxation = relaxation
        self._known = known
        self._forbidden = forbidden
        self._necessary = set(known)
        self._out_of_reach = relaxation.out_of_reach
        self.values = [self._out_of_reach] * len(relaxation.waiting)
        self.supporters = [-1] * len(relaxation.needs)
        self._take_necessary((GOAL,))
        self._explore()
        self.bound = self.taken + self.values[GOAL]

    @property
    def reachable(self) -> bool:
        """Whether the goal can be reached at all."""
        return self.values[GOAL] < self._out_of_reach

    @property
    def complete(self) -> bool:
        """Whether the goal can be reached by operators of which no cost is left."""
        return not self.values[GOAL]

    def hopeless(self, cost: int) -> list[int]:
        """The operators that are in no plan cheaper than `cost`."""
        spare = cost - self.taken
        costs, values = self.costs, self.values
        return [number for number, supporter in enumerate(self.supporters) if supporter >= 0 and values[supporter] + costs[number] >= spare]

    def advance(self) -> None:
        """Add the landmark of the operators that enter the zone from which the goal costs nothing."""
        entering = self._entering(self._zone())
        cheaper = self._take(entering)
        if len(entering) == 1:
            cheaper = [*cheaper, *self._take_necessary(self._relaxation.needs[entering[0]])]
        self._lower(cheaper)
        # Where several parts of an operator share its cost, the sum may fall.
        self.bound = max(self.bound, self.taken + self.values[GOAL])

    def _take_necessary(self, facts: Sequence[int]) -> list[int]:
        """Take the landmarks of one operator that can be read off facts that every plan reaches: the only one that adds such a fact.

        What that operator needs is necessary, too. Return all operators that cost less now.
        """
        cheaper: list[int] = []
        queue = list(facts)
        while queue:
            fact = queue.pop()
            if fact not in self._necessary:
                self._necessary.add(fact)
                achievers: Sequence[int] = self._relaxation.achievers[fact]
                self.looks += len(achievers)
                if len(achievers) > 1 and self._forbidden:
                    achievers = [number for number in achievers if number not in self._forbidden]
                if len(achievers) == 1:
                    queue += self._relaxation.needs[achievers[0]]
                    if self.costs[achievers[0]]:
                        cheaper += self._take(achievers)
        return cheaper

    def _take(self, operators: Sequence[int]) -> Sequence[int]:
        """Take a landmark and return all operators that cost less now."""
        landmark = operators
        if self._relaxation.parts:
            landmark = sorted({part for number in operators for part in self._relaxation.parts[number]})
        least = min([self.costs[number] for number in landmark])
        for number in landmark:
            self.costs[number] -= least
        self.taken += least
        self.landmarks.append(landmark)
        return landmark

    def _explore(self) -> None:
        """Compute the h-max values (Dijkstra 1959)."""
        waiting, adds, costs = self._relaxation.waiting, self._relaxation.adds, self.costs
        values, supporters = self.values, self.supporters
        missing = [len(needed) for needed in self._relaxation.needs]
        for number in self._forbidden:
            missing[number] = 0
        looks = 0
        queue = [(0, fact) for fact in self._known]
        for fact in self._known:
            values[fact] = 0
        while queue:
            value, fact = heappop(queue)
            if value > values[fact]:
                continue
            looks += len(waiting[fact])
            for number in waiting[fact]:
                missing[number] -= 1
                if not missing[number]:
                    # Facts come in order of their values, so the last that an operator waited for is its dearest.
                    supporters[number] = fact
                    reached = value + costs[number]
                    for added in adds[number]:
                        if reached < values[added]:
                            values[added] = reached
                            heappush(queue, (reached, added))
        self.looks += looks

    def _lower(self, cheaper: Sequence[int]) -> None:
        """Bring the h-max values up to date after the costs of some operators fell: only what falls with them is looked at."""
        waiting, adds, needs, costs = self._relaxation.waiting, self._relaxation.adds, self._relaxation.needs, self.costs
        values, supporters = self.values, self.supporters
        looks = len(cheaper)
        # All from the old values: a supporter that falls itself may not be the dearest need any more.
        fallen = [
            (values[supporters[number]] + costs[number], added) for number in cheaper if supporters[number] >= 0 for added in adds[number]
        ]
        queue = [(reached, added) for reached, added in fallen if reached < values[added]]
        for reached, added in queue:
            values[added] = min(reached, values[added])
        heapify(queue)
        while queue:
            value, fact = heappop(queue)
            if value > values[fact]:
                continue
            looks += len(waiting[fact])
            for number in waiting[fact]:
                if supporters[number] == fact:
                    dearest, reached = fact, value
                    for need in needs[number]:
                        if values[need] > reached:
                            dearest, reached = need, values[need]
                    supporters[number] = dearest
                    reached += costs[number]
                    for added in adds[number]:
                        if reached < values[added]:
                            values[added] = reached
                            heappush(queue, (reached, added))
        self.looks += looks

    def _zone(self) -> bytearray:
        """The facts from which the goal is reached through dearest needs by operators of which no cost is left, marked ZONE."""
        achievers, costs, supporters = self._relaxation.achievers, self.costs, self.supporters
        marks = bytearray(len(achievers))
        marks[GOAL] = ZONE
        looks = 0
        queue = [GOAL]
        while queue:
            fact = queue.pop()
            looks += len(achievers[fact])
            for number in achievers[fact]:
                if not costs[number]:
                    supporter = supporters[number]
                    if supporter >= 0 and not marks[supporter]:
                        marks[supporter] = ZONE
                        queue.append(supporter)
        self.looks += looks
        return marks

    def _entering(self, marks: bytearray) -> list[int]:
        """The operators that add something in the zone and can be applied, through dearest needs, before anything in it is reached."""
        waiting, adds, supporters = self._relaxation.waiting, self._relaxation.adds, self.supporters
        entering = []
        looks = 0
        queue = [fact for fact in self._known if not marks[fact]]
        for fact in queue:
            marks[fact] = BEFORE
        while queue:
            fact = queue.pop()
            looks += len(waiting[fact])
            for number in waiting[fact]:
                if supporters[number] == fact:
                    for added in adds[number]:
                        if marks[added] == ZONE:
                            entering.append(number)
                            break
                    else:
                        for added in adds[number]:
                            if marks[added] == NOWHERE:
                                marks[added] = BEFORE
                                queue.append(added)
        self.looks += looks
        return entering


def lm_cut(
    relaxation: Relaxation, known: Sequence[int], costs: Sequence[int], budget: Budget, forbidden: Collection[int] = ()
) -> LandmarkCut:
    """The bound for reaching the goal from the facts `known` without the operators `forbidden`.

    It is worth less than LM-cut where `budget` was used up on the way, and nothing where the goal is not reachable.
    """
    cut = LandmarkCut(relaxation, known, costs, forbidden)
    budget.looks += cut.looks
    while cut.reachable and not cut.complete and not budget.used_up():
        before = cut.looks
        cut.advance()
        budget.looks += cut.looks - before
    return cut
