"""Coding: a job starts redundant tasks and ends when any k of them are done."""
