"""Claims of the SIGCOMM paper on Hopper: sections 4.3 and 4.4, and 5, the decentralised scheduler."""
