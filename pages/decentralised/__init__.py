"""Decentralised: what schedulers lose that see only what messages tell them."""
