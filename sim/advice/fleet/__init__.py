"""Many logs of many applications: what each lost, what can be won, and what to do first."""

#: Logs whose remedy is computed unless something else is asked for: those that lost most.
COMPUTED = 3
