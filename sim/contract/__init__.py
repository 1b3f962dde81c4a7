"""What every rule promises, ours and others': ``python -m sim check FILE`` tries it, and so do the tests."""
