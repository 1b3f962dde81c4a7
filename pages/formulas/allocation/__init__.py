"""Allocation: how a few jobs share the slots under each rule."""
