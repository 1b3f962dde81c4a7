"""What if: another setting, on the cluster and the jobs that a history recorded, under the same luck.

A `History` goes in. `model.fit` learns the work of its tasks, the factors of its machines and the law of
luck; `runs.replicate` plays the jobs again under a policy; `check.check` says whether the model may be
trusted; `systems` knows the settings that can be switched on and `answer.advise` recommends one; `remedies`
plays what else could be done.
"""
