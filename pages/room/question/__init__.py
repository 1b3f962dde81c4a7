"""Questions for a class: the prediction of a lesson, or one that its teacher has written."""

from __future__ import annotations

from typing import TypeAlias

from pages.room.question.lesson import OfLesson as OfLesson
from pages.room.question.lesson import following as following
from pages.room.question.own import Own as Own

Asked: TypeAlias = OfLesson | Own
