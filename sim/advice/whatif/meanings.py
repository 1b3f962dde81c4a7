"""What the parts of the JSON of an answer mean, each in one place: for other programs."""

from __future__ import annotations

#: Part -> what it says.
PARTS = {
    "headline": "what to do first, in a sentence",
    "check": "whether the model, played under the setting of the history, gives what was recorded: good, "
    "fair or poor; where it is poor nothing is advised",
    "today": "the policy that the history ran under",
    "sharing": "how the jobs of the history shared the slots",
    "policies": "each setting: its figures, with the band that holds 90 % of the replications, and its "
    "changes against today's, with paired 95 % intervals",
    "advice": "the setting to switch on, or today's where no other surely pays within the budget; on trial "
    "where it pays unless the slow tasks are slow by themselves; null where none can be given",
    "first": "what the log shows to do first by itself, where neither a setting nor a remedy is advised",
    "without": "what is advised without some of the jobs, where the check is poor",
    "remedies": "what else can be done: each with its change, the most there is to gain (its ceiling), how "
    "it is applied, and why it is not advised",
    "safety": "whether a task may run twice, by what the log tells of its writes: nothing against it, ask, "
    "or do not",
    "price": "what a slot-hour costs, where a price was given",
    "undecided": "what the history leaves open of what copies gain, and which next log would tell",
    "longer": "how much longer a log would make a wide promise sharper",
    "reach": "up to which load the recommended setting pays",
}
