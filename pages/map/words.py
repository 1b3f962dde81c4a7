"""A map in words: the answer, cards, what to notice, cells and tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import pandas as pd

from pages.map.controls import at
from pages.map.question import Request
from pages.shared.live.cards import Card
from pages.shared.words.foreign import bold
from sim.map.picture import BETWEEN, GUESSED, SIMULATED, Picture, Regret, Square
from sim.map.plane import LETTERS, Cell, Criterion, Plane
from sim.map.shipped import table
from sim.map.survey import ALIKE, SURE, UNKNOWN, UNSTABLE, Standing, boundaries
from sim.model.policy import Policy
from sim.model.statistics import Estimate
from sim.telling.words import changed, counted, listed, measured, number, percent

#: Share of the second's number below which it is a small gain.
SLIGHT = 0.1


@lru_cache(maxsize=64)
def names(plane: Plane) -> tuple[str, ...]:
    """Return the names of the policies.

    Examples
    --------
    >>> from sim.running.experiment import Experiment
    >>> from sim.map.plane import Axis
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> asked = Experiment.of_texts(SlotScenario(), ["fair+none", "hopper:epsilon=0.3"])
    >>> names(Plane(asked, Axis("hopper.epsilon", (0.2, 0.4)), Axis("load", (0.3, 0.6))))
    ('Fair shares + no copies', 'Hopper')
    """
    return tuple(_without_axes(policy, plane).name for policy in plane.experiment.policies)


def codes(plane: Plane) -> tuple[str, ...]:
    """Return what the shell calls the policies."""
    return tuple(_without_axes(policy, plane).text for policy in plane.experiment.policies)


def _without_axes(policy: Policy, plane: Plane) -> Policy:
    """Return a policy whose parameters on an axis are at their defaults, which a name leaves out."""
    for axis in (plane.x, plane.y):
        rule, _, parameter = axis.name.partition(".")
        for kind, chosen in policy.rules.items():
            if parameter and chosen.key == rule:
                policy = policy.with_(**{kind: {parameter: chosen.parameter(parameter).default}})
    return policy


def place(plane: Plane, cell: Cell) -> str:
    """Return where a cell is."""
    i, j = cell
    return f"{at(plane.x.name, plane.x.values[i])}, {at(plane.y.name, plane.y.values[j])}"


def told(asked: Request, found: Picture, cell: Cell) -> list[str]:
    """Return the lines that a cell shows when it is pointed at."""
    plane, one = found.plane, found.squares[cell]
    lines = [f"<b>{place(plane, cell)}</b>", verdict(plane, one)]
    if one.known == SIMULATED:
        return [*lines, *(f"{LETTERS[i]} {text}" for i, text in numbers(plane, one.standing))]
    if one.known == GUESSED:
        return [lines[0], f"not simulated yet; so far like {place(plane, one.around[0])}"]
    low, high = gains_around(found, one)
    return [
        *lines,
        f"not simulated: like the {len(one.around)} simulated cells around;",
        f"there the best saves {percent(low)} to {percent(high)} of the second best",
    ]


def gains_around(found: Picture, one: Square) -> tuple[float, float]:
    """Return the least and the largest gain of the simulated cells around a cell."""
    gains = [found.squares[cell].gain or 0.0 for cell in one.around]
    return max(min(gains), 0.0), max(*gains, 0.0)


def verdict(plane: Plane, one: Square) -> str:
    """Return the best policy of a cell."""
    standing = one.standing
    if standing.kind == SURE and standing.best is not None:
        best = f"best: {LETTERS[standing.best]} {names(plane)[standing.best]}"
        if one.known != SIMULATED or standing.second is None:
            return best
        return f"{best}, saves {above(standing.gain)} against {LETTERS[standing.second]}"
    if standing.kind == ALIKE:
        return f"a tie: {listed([LETTERS[i] for i in sorted(standing.leaders)])}"
    if standing.kind == UNKNOWN:
        return "not known: too few jobs, or some unfinished"
    return "the queue grows under every policy"


def above(share: Estimate) -> str:
    """Return a share that is rarely below 0: how far a policy is above the best, or what the best saves.

    Examples
    --------
    >>> above(Estimate(0.25, 0.2, 0.3)), above(Estimate(-0.01, -0.02, 0.0))
    ('25.0 ± 5.0 %', '−1.0 ± 1.0 %')
    """
    return changed(share).removeprefix("+")


def numbers(plane: Plane, standing: Standing) -> Iterator[tuple[int, str]]:
    """Yield for each policy its number, how far it is above the best, and its replications."""
    unit = "" if plane.by.measure == "slowdown" else plane.experiment.scenario.time_unit
    for i, value in enumerate(standing.values):
        parts = [measured(value, unit)]
        regret = standing.regrets[i] if standing.regrets else Estimate(None)
        if standing.unstable[i]:
            parts.append("its queue grows")
        elif standing.over[i]:
            parts.append("over the budget")
        elif i != standing.best and regret.value is not None:
            parts.append(f"{above(regret)} above the best")
        parts.append(f"{standing.replications[i]} replications")
        yield i, "; ".join(parts)


def answer(found: Picture) -> str:
    """Return the answer."""
    return " ".join(part for part in (wins(found), choice(found)) if part)


def wins(found: Picture) -> str:
    """Say which policy is the best in most cells."""
    called, size = names(found.plane), found.plane.size
    so_far = "" if found.final else " so far"
    winners = [(one.wins, i) for i, one in enumerate(found.regrets) if one.wins]
    if not winners:
        ties = f"; {found.count(ALIKE)} are ties" if found.count(ALIKE) else ""
        return f"No policy is surely the best in any of the {size} cells{so_far}{ties}."
    count, i = max(winners)
    who = bold(f"{LETTERS[i]} {called[i]}")
    return f"{who} has the {lowest(found.plane.by)} in {count} of {size} cells{so_far}."


def lowest(by: Criterion) -> str:
    """Return what the best policy has: the shortest time, or the lowest slowdown.

    Examples
    --------
    >>> from sim.map.plane import CRITERIA
    >>> lowest(CRITERIA["median"]), lowest(CRITERIA["slowdown"])
    ('shortest median flowtime', 'lowest mean slowdown')
    """
    return f"{'lowest' if by.measure == 'slowdown' else 'shortest'} {by.title}"


def choice(found: Picture) -> str:
    """Say which policy has the least worst regret: for readers who do not know their cell."""
    safe = safest(found)
    if safe is None:
        return ""
    one, name = found.regrets[safe], names(found.plane)[safe]
    if one.where is None or not one.worst.value:
        known = " where the best is known" if found.count(UNKNOWN) else ""
        return f"No policy is better than {bold(f'{LETTERS[safe]} {name}')} in any cell{known}."
    who, worst = bold(f"{LETTERS[safe]} {name}"), above(one.worst)
    return f"{who} is the safest choice: at worst {worst} above the best, on average {above(one.mean)}."


def safest(found: Picture) -> int | None:
    """Return the policy with the least worst regret, of those that are in question in every cell."""
    worst = {
        i: one.worst.value
        for i, one in enumerate(found.regrets)
        if one.worst.value is not None and not one.unstable and not one.over
    }
    return min(worst, key=worst.__getitem__) if worst else None


def alt(found: Picture) -> str:
    """Say in words what the map shows."""
    plane = found.plane
    told = answer(found).replace("*", "")
    simulated = counted(found.simulated, "cell")
    lines = [
        f" {one.title.capitalize()}: {number(min(one.loads))} to {number(max(one.loads))}."
        for one in boundaries(plane)
    ]
    return f"Map of {plane.size} cells, {simulated} simulated. {told}{''.join(lines)}"


def cards(found: Picture) -> list[Card]:
    """Return the cards, one a policy."""
    return [_card(found, i, one) for i, one in enumerate(found.regrets)]


def _card(found: Picture, policy: int, one: Regret) -> Card:
    plane = found.plane
    details = []
    if one.worst.value is not None and one.where is not None and one.mean.value is not None:
        details.append(f"above the best: at worst {above(one.worst)}")
        details.append(f"(at {place(plane, one.where)}),")
        details.append(f"on average {above(one.mean)}")
        if unknown := found.count(UNKNOWN):
            details.append(f"the best is not known in {counted(unknown, 'cell')}")
    if one.unstable:
        details.append(f"its queue grows in {counted(one.unstable, 'cell')}")
    if one.over:
        details.append(f"over the budget in {counted(one.over, 'cell')}")
    return Card(
        name=f"{LETTERS[policy]} {names(plane)[policy]}",
        value=f"{one.wins} of {plane.size}",
        change="cells where it is best",
        details=tuple(details),
        code=codes(plane)[policy],
    )


def reading(found: Picture) -> str:
    """Return how the map is read."""
    told = [
        "Letter and colour: the best policy of a cell; a stronger colour saves more against the second best "
        "(pale: nothing, full: half or more).",
        "Click a cell to open it on the page Compare.",
    ]
    if any(one.known == BETWEEN for one in found.squares.values()):
        told.insert(1, "Italics: not simulated, but like the simulated cells around.")
    if found.count(ALIKE):
        told.insert(1, "Hatched, small letters: a tie of these.")
    if found.count(UNKNOWN):
        told.insert(1, "Grey, ?: not known.")
    if found.count(UNSTABLE):
        told.insert(1, "Grey, ×: the queue grows under every policy.")
    return " ".join(told)


def notices(found: Picture) -> list[str]:
    """Return the remarks, in Markdown."""
    return list(_notices(found))


def _notices(found: Picture) -> Iterator[str]:
    yield from _stakes(found)
    yield from _beside_lines(found)
    if others := _others(found):
        yield others
    if count := found.count(UNKNOWN):
        yield (
            f"In {counted(count, 'cell')} the best is not known: too few jobs for an interval, or some "
            "unfinished. Give more jobs, or rank by the median."
        )
    for i, regret in enumerate(found.regrets):
        if regret.unstable:
            yield (
                f"Under **{names(found.plane)[i]}** the queue grows in {counted(regret.unstable, 'cell')}: "
                "there it cannot win, and its regret has no number."
            )
    size = found.plane.size
    if size > found.simulated and found.final:
        yield (
            f"{size - found.simulated} of {size} cells were not simulated: those around them are alike. A "
            "small region may be missed; `--full` in the shell simulates all."
        )


def _others(found: Picture) -> str:
    """Say in how many cells nobody is known to be the best, and why; empty where somebody is in all."""
    kinds = ((ALIKE, "it is a tie"), (UNSTABLE, "the queue grows under every policy"))
    told = [f"in {count} {why}" for kind, why in kinds if (count := found.count(kind))]
    return f"Of the {found.plane.size} cells {listed(told)}." if told else ""


def _stakes(found: Picture) -> Iterator[str]:
    """Say where the choice of a policy matters most, and in how many cells it hardly does."""
    plane, called = found.plane, names(found.plane)
    sure = {cell: one for cell, one in found.squares.items() if one.standing.kind == SURE}
    own = {cell: one.standing for cell, one in sure.items() if one.known == SIMULATED}
    if not own:
        return
    cell = max(own, key=lambda one: own[one].gain.value or 0.0)
    most = own[cell]
    if most.best is not None and most.second is not None:
        yield (
            f"The choice matters most at {place(plane, cell)}: **{called[most.best]}** saves "
            f"{above(most.gain)} against {called[most.second]}."
        )
    if slight := sum((one.gain or 0.0) < SLIGHT for one in sure.values()):
        yield (
            f"In {slight} of {counted(plane.size, 'cell')} the best saves less than {percent(SLIGHT)} "
            "against the second best."
        )


def _beside_lines(found: Picture) -> Iterator[str]:
    """Say for each line of theory which policy wins most of the cells on one side of it, and on the other."""
    plane, called = found.plane, names(found.plane)
    upright = plane.x.name == "load"
    loads = (plane.x if upright else plane.y).values
    near, far = ("left of", "right of") if upright else ("below", "above")
    for one in boundaries(plane):
        sides: tuple[list[int], list[int]] = ([], [])
        for (i, j), square in found.squares.items():
            load, limit = (loads[i], one.loads[j]) if upright else (loads[j], one.loads[i])
            if square.standing.kind == SURE and square.standing.best is not None:
                sides[load > limit].append(square.standing.best)
        if not all(sides):
            continue
        shares = [[side.count(i) / len(side) for side in sides] for i in range(len(called))]
        who = max(range(len(called)), key=lambda i: abs(shares[i][0] - shares[i][1]))
        first, last = (f"{side.count(who)} of {counted(len(side), 'cell')}" for side in sides)
        if shares[who][0] != shares[who][1]:
            yield (
                f"**{called[who]}** wins {first} {near} the line “{one.title}” and {last} {far} it, "
                "ties left out."
            )


def of_cell(found: Picture, cell: Cell) -> pd.DataFrame:
    """Return a row for each policy of a cell that is simulated."""
    plane, standing = found.plane, found.squares[cell].standing
    rows = {f"{LETTERS[i]} {names(plane)[i]}": text.split("; ") for i, text in numbers(plane, standing)}
    return pd.DataFrame(
        {
            plane.by.title: [parts[0] for parts in rows.values()],
            "above the best": [parts[1] if len(parts) > 2 else "–" for parts in rows.values()],
            "runs": [parts[-1] for parts in rows.values()],
        },
        index=pd.Index(list(rows), name="policy"),
    )


def csv(found: Picture) -> bytes:
    """Return all cells as a file."""
    return table(found).to_csv(index=False).encode()
