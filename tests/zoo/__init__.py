"""Clusters of many kinds whose truth is known, and a judge of the promises of `sim.whatif` about them.

A world is a cluster and its jobs, with causes of slow tasks that the model of `sim.whatif` may not know. A
simulator plays it, writes the history as an event log of Spark, and says what each setting would truly
change. Only what judges, and `costs` to read its histories, knows `sim`: the rest shares no code with what is
judged.
"""
