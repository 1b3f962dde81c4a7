"""Learning how much redundancy a job starts with, in the simulator itself (Aktas and Soljanin, section 3).

`environment` is the simulator as Gymnasium knows it, `train` a Deep-Q learner; both need the extra `rl`
(``pip install .[rl]``). What they learn, a small network, is shipped with the rule `redundant-rl` and needs
neither.
"""
