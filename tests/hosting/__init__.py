"""The lab as `deploy/` hosts it: nginx with TLS before two processes, tried with the real programs."""
