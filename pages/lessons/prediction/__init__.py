"""Predictions that a class makes before it sees the answer: an option, a number, or an order.

A prediction is a question with the answers it accepts. It checks an answer, writes it as text for a link and
in words for a screen, and counts the answers of many. An answer is plain data: the key of an option, a
number, or the keys of the items in order.
"""

from __future__ import annotations

from typing import TypeAlias

from pages.lessons.prediction.choice import Choice as Choice
from pages.lessons.prediction.number import Number as Number
from pages.lessons.prediction.option import Count as Count
from pages.lessons.prediction.option import Option as Option
from pages.lessons.prediction.order import Order as Order

Prediction: TypeAlias = Choice | Number | Order
#: A prediction: the key of an option, a number, or keys of items in order.
Answer: TypeAlias = str | float | tuple[str, ...]
