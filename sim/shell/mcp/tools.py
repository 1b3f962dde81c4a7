"""The tools: each does what a command of the shell does, and answers with its text and its JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from sim.advice.whatif.price import Price
from sim.logs.source import files_of
from sim.model.fields import BadInput, unknown
from sim.model.files import checked_path
from sim.running.byte_cache import ByteCache
from sim.running.processes.wire import Steps
from sim.shell import check_advice, fleet, several, wait, whatif
from sim.shell import trace as traces
from sim.shell.mcp import logs
from sim.shell.mcp.portions import OPTIONS, Said, portion
from sim.shell.parsing import Parser, refuse_empty
from theory.quoting import quoted, shortened

#: Characters of a text in the JSON of an answer; a longer one is a name from a log, and shortened.
MOST_TEXT = 1000
#: Options of the shell that write files, and those about processes of its own: a tool only reads, in one.
WRITES = ("json", "html", "out", "csv", "keep", "again", "compute", "processes")
#: Logs of a fleet that are listed.
MOST_LISTED = 20
#: The last answers, of which other portions may be asked for, in so many bytes.
_KEPT = ByteCache(64 * 2**20)


#: What is told of amounts; and the tool's own code, which is given the options and where progress is told.
_Tell = Callable[[int], None]
_Answer = Callable[[argparse.Namespace, _Tell], tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A question that other programs can ask.

    Parameters
    ----------
    title, about : str
        In a word or two, and for the program that chooses among tools.
    declare : callable
        Adds the options to a parser.
    answer : callable
        Returns the text and the values of JSON.
    """

    title: str
    about: str
    declare: Callable[[argparse.ArgumentParser], None]
    answer: _Answer

    @property
    def options(self) -> dict[str, argparse.Action]:
        """What can be given, by name."""
        return {one.dest: one for one in self._parser()._actions if one.dest not in ("help", *WRITES)}

    @property
    def schema(self) -> dict[str, Any]:
        """What can be given, as JSON Schema; the words are those of the shell's help."""
        options = self.options
        return {
            "type": "object",
            "properties": {name: _property(one) for name, one in options.items()} | OPTIONS,
            "required": [name for name, one in options.items() if one.required],
            "additionalProperties": False,
        }

    def chosen(self, arguments: Mapping[str, Any]) -> argparse.Namespace:
        """Read arguments as the shell reads its line.

        Raises
        ------
        BadInput
            Naming what is not accepted.
        """
        options, given = self.options, []
        plain: dict[str, list[str]] = {name: [] for name in options}  # a line has them in this order
        for name, value in arguments.items():
            if name not in options:
                raise unknown("argument", name, list(options))
            words = _words(name, options[name], value)
            if options[name].option_strings:
                given += words
            else:
                plain[name] += words
        refuse_empty(given)
        told = [*chain(*plain.values())]
        return self._parser().parse_args([*given, *(("--", *told) if told else ())])

    def _parser(self) -> Parser:
        parser = Parser(prog=self.title, allow_abbrev=False)
        self.declare(parser)
        return parser


def _property(one: argparse.Action) -> dict[str, Any]:
    about = {"description": (one.help or "") % vars(one)}
    if one.nargs == 0:
        return {"type": "boolean"} | about
    if one.nargs == "+":
        return {"type": "array", "items": {"type": "string"}, "minItems": 1} | about
    if isinstance(one.default, list):
        return {"type": "array", "items": {"type": "string"}} | about
    return {"type": ["string", "number"]} | about


def _words(name: str, one: argparse.Action, value: Any) -> list[str]:
    """Return an argument as words of a line."""
    option = one.option_strings[-1] if one.option_strings else ""
    if one.nargs == 0:
        if not isinstance(value, bool):
            raise BadInput(f"{name}: {quoted(value)} is not accepted; give true or false")
        return [option] * value
    many = one.nargs == "+" or isinstance(one.default, list)
    values = value if many and isinstance(value, list) else [value]
    for text in values:
        if isinstance(text, bool) or not isinstance(text, (str, int, float)):
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give a text or a number")
    return [f"{option}={text}" if option else str(text) for text in values]


def sent(
    name: str, arguments: Mapping[str, Any], here: str, only: str | None, progress: _Tell = lambda done: None
) -> Said:
    """Return the portion of an answer that is asked for; another one of it is not computed again.

    Parameters
    ----------
    name : str
        Of a tool.
    arguments : mapping
        As another program gives them, with `part` and `page`.
    here, only, progress
        As of `answer`.

    Raises
    ------
    BadInput
        As the shell's.

    Examples
    --------
    >>> sent("explain", {"word": "censored", "part": "word"}, ".", None).values
    '{"part": "word", "value": "censored"}'
    """
    asked = {one: value for one, value in arguments.items() if one not in OPTIONS}
    chosen = _chosen(name, asked, here, only)
    paths = [path for of in ("file", "earlier", "source") for path in getattr(chosen, of, ())]
    paths += chain(*getattr(chosen, "files", {}).values())
    if paths and getattr(chosen, "at", "") != "now":
        key = name, json.dumps(asked, sort_keys=True), here, only, tuple(_signed(map(Path, paths)))
        whole = _KEPT.made(key, lambda: _answered(name, chosen, progress))
    else:
        whole = _answered(name, chosen, progress)
    return portion(whole, **{one: arguments[one] for one in OPTIONS if one in arguments})


def answer(
    name: str, arguments: Mapping[str, Any], here: str, only: str | None, progress: _Tell = lambda done: None
) -> Said:
    """Answer a question in full, for a process of its own.

    Parameters
    ----------
    name : str
        Of a tool.
    arguments : mapping
        As another program gives them.
    here : str
        The folder that paths are relative to.
    only : str or None
        The folder outside of which nothing is read.
    progress : callable
        Told how many more of `STEPS` are done.

    Raises
    ------
    BadInput
        As the shell's.

    Examples
    --------
    >>> print(answer("explain", {"word": "censored"}, ".", None).text)
    censored (term): known only to be longer: a copy that was killed, or had not ended when the log did
    """
    return _answered(name, _chosen(name, arguments, here, only), progress)


def _chosen(name: str, arguments: Mapping[str, Any], here: str, only: str | None) -> argparse.Namespace:
    """Return the options of a tool, with whole paths."""
    if name not in TOOLS:
        raise unknown("tool", name, list(TOOLS))
    chosen = TOOLS[name].chosen(arguments)
    chosen.here = Path(here, only or "")
    if "file" in chosen:
        chosen.file = list(_within(chosen.file, here, only))
    if "earlier" in chosen:
        list(_within(chosen.earlier, here, only))  # refuses what leads out of the folder
        chosen.earlier = [str(_whole(path, here, only)) for path in chosen.earlier]  # a folder is one log
    if "before" in chosen:
        runs = chain(*several.runs_of(chosen))
        chosen.files = {run: list(_within([run], here, only)) for run in runs}
    if "source" in chosen:  # of its folders, files to which a link leads out of them are left out
        chosen.inside = only is not None
        chosen.source = [str(_whole(path, here, only)) for path in chosen.source]
    return chosen


def _answered(name: str, chosen: argparse.Namespace, progress: _Tell) -> Said:
    text, values = TOOLS[name].answer(chosen, progress)
    return Said(text, json.dumps(_bounded(values), allow_nan=False))


def _signed(paths: Iterable[Path]) -> Iterator[tuple[str, int, int]]:
    """Yield path, size and time of each file: a log that has changed is another one."""
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            with suppress(OSError):
                found = file.stat()
                yield str(file), found.st_size, found.st_mtime_ns


def _bounded(values: Any) -> Any:
    """Return values of JSON in which no text is longer than `MOST_TEXT`: names in a log have any length."""
    if isinstance(values, dict):
        return {_bounded(name): _bounded(value) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return [_bounded(value) for value in values]
    return shortened(values) if isinstance(values, str) and len(values) > MOST_TEXT else values


def _within(paths: Sequence[str], here: str, only: str | None) -> Iterator[str]:
    """Yield whole paths; where only one folder may be read, those of files, all of which are in it."""
    for path in paths:
        whole = _whole(path, here, only)
        if only is None:
            yield str(whole)
            continue
        # what lies in a folder may be a link that leads elsewhere
        files = [one for one in files_of(whole) if not one.is_dir()]
        for one in files:
            _whole(str(one), here, only, path)
        yield from map(str, files or [whole])


def _whole(path: str, here: str, only: str | None, called: str = "") -> Path:
    """Return a whole path, which lies in the folder that may be read, if only one may."""
    root, called = Path(here, only or "").resolve(), called or path
    try:
        whole = Path(checked_path(Path(here, path)))
        inside = only is None or whole.resolve().is_relative_to(root)
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or "a circle of links"
        raise BadInput(f"file: {quoted(called)} is not accepted ({why}); give the path of a log") from None
    if not inside:  # nothing is told of what lies elsewhere, not even whether it is there
        raise BadInput(f"file: {quoted(called)} is not in the folder whose logs may be read")
    return whole


def _diagnose(chosen: argparse.Namespace, progress: _Tell) -> tuple[str, Any]:
    from sim.advice.diagnosis.report import as_json, as_text

    _, found = traces.diagnosed(chosen, Steps(progress, traces.stored_bytes(chosen.file)))
    return as_text(found), as_json(found)


def _whatif(chosen: argparse.Namespace, progress: _Tell) -> tuple[str, Any]:
    from sim.advice.whatif.document import as_text
    from sim.advice.whatif.report import as_json

    found = whatif.answered(chosen, _bar(progress))
    return as_text(found), as_json(found)


def _bar(progress: _Tell) -> Callable[[int], AbstractContextManager[Steps]]:
    """Return what makes of a number of tasks what is told of those that have been played."""

    @contextmanager
    def bar(tasks: int) -> Iterator[Steps]:
        yield Steps(progress, tasks)

    return bar


def _check_advice(chosen: argparse.Namespace, progress: _Tell) -> tuple[str, Any]:
    found = check_advice.answered(chosen, _bar(progress))
    return found.as_text(), found.as_json()


def _fleet(chosen: argparse.Namespace, progress: _Tell) -> tuple[str, Any]:
    from sim.advice.fleet.report import as_json, as_text
    from sim.advice.fleet.survey import items_of, look_here, most_first

    items, price = items_of(chosen.source, inside=chosen.inside), Price.of_options(vars(chosen))
    looks = most_first(look_here(items, Steps(progress, len(items))))
    values = as_json(looks, price)
    for one in (rows := values["logs"][:MOST_LISTED]):
        del one["findings"], one["account"], one["remedy"]
    values |= {"logs": rows, "not_listed": len(values["logs"]) - len(rows)}
    return as_text(looks, price, MOST_LISTED), values


def _after(chosen: argparse.Namespace, progress: _Tell) -> tuple[str, Any]:
    from sim.advice.several.report import after_json, after_text

    found = several.answered(chosen, chosen.files.__getitem__)
    return after_text(found), after_json(found)


def _wait(chosen: argparse.Namespace, progress: _Tell) -> tuple[str, Any]:
    found = wait.asked(chosen)
    return found.as_text(), found.as_json()


def _logs(chosen: argparse.Namespace, progress: _Tell) -> tuple[str, Any]:
    found = logs.as_json(chosen.here)
    return logs.as_text(found), found


def _explain(chosen: argparse.Namespace, progress: _Tell) -> tuple[str, Any]:
    from sim.shell.mcp.fields import as_json, as_text

    found = as_json(chosen.word or "")
    return as_text(found), found


def _add_word(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("word", nargs="?", help="what is to be explained; without it, all that can be")


_KNOWN = (
    "Numbers come with intervals; what a log cannot tell is null in the JSON and 'cannot be told' in the "
    "text, with the reason."
)
#: Name -> tool.
TOOLS = {
    "logs": Tool(
        "List the logs",
        "List the logs that can be read, the newest first: what to give as `file`, how many bytes, when it "
        "changed, and its format.",
        lambda parser: None,
        _logs,
    ),
    "diagnose": Tool(
        "Diagnose a log",
        "Say what stragglers (slow tasks) cost the jobs of a cluster's log, and which cause cost how much. "
        f"The same as `python -m sim trace`. Takes seconds. {_KNOWN}",
        traces.add_options,
        _diagnose,
    ),
    "whatif": Tool(
        "Try settings on a log",
        "Say which setting of speculation, or which other remedy, would make the jobs of a cluster's log "
        "shorter by how much and at what cost: the log is played again in a model that is checked first. The "
        f"same as `python -m sim whatif`. Takes a minute or more; fewer replications take less. {_KNOWN}",
        whatif.add_options,
        _whatif,
    ),
    "check_advice": Tool(
        "Check an advice",
        "Say of settings that somebody advises for the application of a log whether they are approved: what "
        "they would gain and cost, also in the worst of the models that fit the log, and whether tasks may "
        "run twice; or that they are about something that is not modelled, such as memory. Ask it before you "
        "advise settings of speculation yourself. The same as `python -m sim check-advice`. Takes seconds. "
        f"{_KNOWN}",
        check_advice.add_options,
        _check_advice,
    ),
    "fleet": Tool(
        "Look at many logs",
        "Say of each of many logs of clusters what stragglers cost and what to do first, and which cause "
        f"cost most in all; the {MOST_LISTED} that lost most are listed. The same as `python -m sim fleet` "
        f"without remedies. Takes a second or so per log. {_KNOWN}",
        fleet.add_options,
        _fleet,
    ),
    "after": Tool(
        "Compare before and after",
        "Say by what the same jobs changed between a run before and a run after, in which state their time "
        "changed most, from which cause, and what to do first in each. The same as `python -m sim after`. "
        f"Takes a minute or more; replications 0 takes seconds. {_KNOWN}",
        several.add_after,
        _after,
    ),
    "wait_copy_or_kill": Tool(
        "Wait, copy or kill",
        "Say of a task that still runs whether to wait for it, to start a second copy, or to kill and "
        "restart it, with the probability that it ends in time, the age from which the answer changes, and "
        "what a copy costs the others. Give the durations of its siblings that are done and the ages of "
        "those that run; or a log that is written while tasks run; or neither, for the application of Spark "
        "that the owner of this server names. It advises and never acts. The same as `python -m sim wait`. "
        "Takes a second or so.",
        wait.add_options,
        _wait,
    ),
    "explain": Tool(
        "Explain a word",
        "Say what a word of these answers means: a term, a cause, a part or field of the JSON, a name on a "
        "page, a remedy, or a policy such as 'fair+late'.",
        _add_word,
        _explain,
    ),
}
