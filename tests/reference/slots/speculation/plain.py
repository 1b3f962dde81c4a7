"""No copies, and clones of every task."""

from __future__ import annotations

from tests.reference.slots.speculation.rule import Speculation


class NoCopies(Speculation, key="none"):
    """Every task runs once."""

    at_launch = True


class Clone(Speculation, key="clone"):
    """A fixed number of copies of every task; the task owed one for longest comes first."""

    at_launch = True
    when = "urgent"

    def qualifies(self, task):
        return len(task.copies) < self.parameters["copies"]

    def order(self, task):
        return task.original.start, task.address
