"""Each option of a fleet moves what it is about, in table, JSON and text, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sim.advice.fleet import library, report
from sim.advice.whatif.price import FREE, Price
from sim.shell.verbs import main
from tests.sim.faces import flat
from tests.sim.fleet.looks import LOOKS

#: Price -> what a slot-hour costs in each log; logs that tell no executor need a price of slots.
PRICES: dict[str, tuple[Price, dict[str, float]]] = {
    "slot": (Price(slot=2.0), dict.fromkeys("abcunw", 2.0)),
    "executor": (Price(executor=12.0), {"a": 6.0, "b": 3.0}),
    "vcpu": (Price(vcpu=0.5), {"a": 1.0, "b": 0.75}),
    "gb": (Price(gb=0.25), {"a": 1.0}),
    "vcpu and gb": (Price(vcpu=0.5, gb=0.25), {"a": 2.0}),
    "executor or slot": (
        Price(slot=2.0, executor=12.0),
        {**dict.fromkeys("abcunw", 2.0), "a": 6.0, "b": 3.0},
    ),
}


@pytest.mark.parametrize("kind", PRICES)
def test_a_price_moves_what_is_money_of_each_log_and_of_all(kind: str) -> None:
    price, costs = PRICES[kind]
    before, told = (dict(flat(report.as_json(LOOKS, one))) for one in (FREE, price))
    money = {f"logs.{place}.money": costs.get(one.name) for place, one in enumerate(LOOKS[:8])}
    money = {key: cost and cost * LOOKS[int(key[5])].slot_hours for key, cost in money.items()}
    paid = [one for one in money.values() if one]
    assert told == before | money | {"totals.money": sum(paid), "totals.unpriced": 6 - len(paid)}
    rows, free = report.table(LOOKS, price), report.table(LOOKS)
    names = {"lost": "slot_hours", "its": "slot_value"}
    for what, of in names.items():
        for one, found in zip(LOOKS, rows[f"{what} slot-time (money)"], strict=False):
            hours = getattr(one if what == "lost" else one.advised, of, None)
            due = costs[one.name] * hours if hours is not None and one.name in costs else None
            assert found == pytest.approx(due) if due is not None else found != found
    columns = [name for name in rows if "(money)" not in name]
    assert rows[columns].equals(free[columns])
    without = f" ({6 - len(paid)} without a price)" if len(paid) < 6 else ""
    assert report.sentence(LOOKS, price) == report.sentence(LOOKS).replace(
        "88 slot-hours", f"88 slot-hours, which cost {sum(paid):.4g}{without}"
    )
    assert report.as_text(LOOKS, price).splitlines()[1:] == report.as_text(LOOKS).splitlines()[1:]


def test_the_options_reach_what_looks_and_what_computes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    def asked(**options: Any) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        monkeypatch.setattr(library, "items_of", lambda sources: seen.update(sources=sources) or [*LOOKS])
        monkeypatch.setattr(library, "Kept", lambda at, sources: (at, sources))
        monkeypatch.setattr(
            library,
            "look_at_all",
            lambda items, kept, processes, told: seen.update(kept=kept, at_once=processes) or LOOKS,
        )
        monkeypatch.setattr(
            library, "advise_on_most", lambda items, looks, kept, many, told: seen.update(many=many) or looks
        )
        seen["looks"] = [one.name for one in library.fleet("x", tmp_path, **options).looks]
        return seen

    monkeypatch.setattr(library, "of_the_user", lambda: "of the user")
    monkeypatch.setattr(library.os, "cpu_count", lambda: 3)
    usual = asked()
    kept = ("of the user", ())
    assert usual == {
        "sources": ["x", str(tmp_path)],
        "kept": kept,
        "at_once": 3,
        "many": 5,
        "looks": list("bcuawntde"),
    }
    assert asked(compute=0) == usual | {"many": 0}
    assert asked(compute=2, processes=1) == usual | {"many": 2, "at_once": 1}
    assert asked(again=True) == usual | {"kept": (None, ())}
    assert asked(keep="k") == usual | {"kept": (library.Path("k"), ["x", str(tmp_path)])}


def test_the_shell_passes_each_option_and_price_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    seen: dict[str, Any] = {}
    monkeypatch.setattr(library, "looks_of", lambda sources, **more: seen.update(more) or LOOKS)
    words = ["--compute=7", "--processes=2", "--keep=k", "--again", f"--csv={tmp_path}/t.csv"]
    prices = {
        "--price=2": PRICES["slot"],
        "--price-executor=12": PRICES["executor"],
        "--price-vcpu=0.5": PRICES["vcpu"],
        "--price-gb=0.25": PRICES["gb"],
    }
    for option, (price, _) in prices.items():
        assert main(["fleet", "x", *words, option, "--json", "-"]) == 0
        assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(report.as_json(LOOKS, price)))
        assert (tmp_path / "t.csv").read_text() == report.as_csv(LOOKS, price)  # without an empty line
        assert main(["fleet", "x", option]) == 0
        assert capsys.readouterr().out.startswith(report.sentence(LOOKS, price))
    assert main(["fleet", "x", *words, "--json", "-"]) == 0
    del seen["bar"]
    assert seen == {"compute": "7", "processes": "2", "keep": "k", "again": True}
