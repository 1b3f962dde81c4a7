"""Decentralised: what schedulers lose that know only what messages tell them."""
