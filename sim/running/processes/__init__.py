"""Functions run in separate processes: limited, watched, ended when nobody waits for them any more."""
