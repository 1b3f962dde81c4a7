"""Jobs whose counts and law are known, as lines of the Standard Workload Format."""

import numpy as np

HEADER = "; Version: 2.2\n; UnixStartTime: 1700000000\n; MaxProcs: 128\n;\n"
LINE = "{number} {submit} {wait} {run} {got} -1 -1 {asked} 9 -1 {status} {user} 1 1 {queue} -1 -1 -1"


def drawn(seed=1, jobs=60):
    """Return jobs of known counts and law: run times of a base times a Pareto law, in order of submission."""
    random = np.random.default_rng([seed, 42])
    found, now = [], 0
    for number in range(1, jobs + 1):
        now += int(random.integers(0, 50))
        processors = 2 ** int(random.integers(0, 7))
        run = int(min(20 * (1 - random.random()) ** -0.5, 5000))
        status = int(random.choice([1, 1, 1, 0, 5]))
        told = bool(random.random() < 0.7)
        found.append(
            {
                "number": number,
                "submit": now,
                "wait": int(random.integers(0, 300)),
                "run": run,
                "got": processors if told else -1,
                "asked": processors * (2 if told else 1),
                "status": status,
                "user": int(random.integers(1, 4)),
                "queue": int(random.integers(1, 3)),
            }
        )
    return found


def swf_lines(jobs):
    return (HEADER + "".join(LINE.format(**job) + "\n" for job in jobs)).encode()
