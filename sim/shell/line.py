"""The shell line that repeats an experiment."""

from __future__ import annotations

import shlex

from sim.engines import plugins
from sim.engines.presets import preset, with_trace
from sim.model.fields import settable
from sim.running.effort import Effort
from sim.running.experiment import Experiment
from theory.shown import visible


def shell_line(start: str, experiment: Experiment, effort: Effort, *, workload: str = "") -> str:
    """Return the ``python -m sim run ...`` that repeats an experiment.

    Parameters
    ----------
    start : str
        Preset to start from; fields in which the scenario differs from it are set.
    experiment : Experiment
    effort : Effort
        Whose replications and precision are told.
    workload : str, optional
        Path of the workload file, if there is one.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> experiment = Experiment.of_texts(preset("small").scenario.replace(load=0.5), ["hopper"])
    >>> shell_line("small", experiment, Effort(replications=4))
    'python -m sim run --preset small --set load=0.5 --policy hopper+budget --replications 4'
    """
    words = ["python", "-m", "sim", "run", "--preset", start]
    base = preset(start).scenario
    if experiment.trace is not None:
        words += ["--workload", _file(workload or experiment.trace.source)]
        base = with_trace(base, experiment.trace)
    for name in settable(type(base)):
        value = getattr(experiment.scenario, name)
        given = name == "load" and experiment.trace is not None and experiment.scenario.keeps_times
        if value != getattr(base, name) and not given:
            text = ",".join(map(repr, value)) if isinstance(value, tuple) else str(value)
            words += ["--set", f"{name}={text}"]
    for text in experiment.texts:
        words += ["--policy", text]
    if experiment.baseline:
        words += ["--baseline", experiment.texts[experiment.baseline]]
    words += ["--replications", str(effort.most)]
    words += plugin_files(experiment)
    if effort.precision is not None:
        words += ["--precision", f"{effort.precision:g}"]
    return shlex.join(words)


def plugin_files(experiment: Experiment) -> list[str]:
    """Return the options that name the files of rules of one's own; packages are found without."""
    files = [source.name for source in plugins.sources(experiment.policies) if source.text]
    return [word for name in files for word in ("--policies", _file(name))]


def _file(name: str) -> str:
    """Return a name as it is; one that nobody could read in a shell line is left to be filled in."""
    return name if name == visible(name) else "FILE"
