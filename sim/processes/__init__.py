"""Functions run in processes of their own: limited, watched, ended when nobody waits for them any more."""
