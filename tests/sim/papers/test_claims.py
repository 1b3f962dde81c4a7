"""Claims are complete, judged by their rule, and recorded at the scale of the papers."""

from __future__ import annotations

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sim
from sim.engines.registry import preset
from sim.model.fields import BadInput
from sim.model.statistics import Estimate
from sim.papers import CLAIMS, aktas_soljanin, chosen, dolly, hopper, joined, xu_lau
from sim.papers.claim import (
    FAILED,
    REPRODUCED,
    ROUNDING,
    SHAPE,
    UNDECIDED,
    VERDICTS,
    Claim,
    Measured,
    Region,
)
from sim.papers.digest import digest
from sim.papers.nearest import DOLLY, FINER, MOST, STEP, TRIED, XU_LAU, moved, told_nearest
from sim.papers.record import merged, recorded
from sim.papers.reproduce import HOW, PLACE, as_line, filled, outcome, quickly
from sim.shell.verbs import main
from sim.telling.content import FOLDER, ContentError, tables
from tests.depth import each

every_claim = each("claim", CLAIMS.values())
ENDS = ("value", "low", "high")
#: Claims whose quick number takes a second or two.
QUICK_TO_TRY = ("xl-fig2-sda-mean", "xl-fig2-mantri-resource", "xl-fig2-both-mean", "xl-fig2-sca-p90")
FIELDS = {
    *("reported", "value", "low", "high", "unit", "verdict", "reason"),
    *("seed", "version", "commit", "replications", "seconds", "digest", "choices"),
}


def made(estimate: Estimate | None = None, **changes) -> Claim:
    """A claim whose number is known."""
    given = {
        "key": "made-up",
        "paper": "P",
        "place": "Fig. 0",
        "system": "S",
        "statement": "It is one.",
        "setting": "none",
        "method": "none",
        "reported": 1.0,
        "unit": "",
        "region": Region(0.8, 1.2),
        "compute": lambda quick: Measured(estimate or Estimate(1.0, 0.9, 1.1), replications=4, seed=7),
    }
    return Claim(**given | changes)


#: Tables and functions -> which half of a claim is missing, or which line is wrong.
TABLE = {
    **dict.fromkeys(("paper", "place", "system", "statement", "setting", "method"), "A."),
    **{"reported": 1.0, "region": [-math.inf, 2.0]},
}
INCOMPLETE = {
    "no function of COMPUTE measures it": ({"one": TABLE}, ()),
    "a function measures it, and there is no table": ({}, ("one",)),
    "missing 1 required keyword-only argument: 'reported'": (
        {"one": {name: value for name, value in TABLE.items() if name != "reported"}},
        ("one",),
    ),
    "unexpected keyword argument 'quoted'": ({"one": TABLE | {"quoted": "B."}}, ("one",)),
    "{{ more }} has no value": ({"one": TABLE | {"method": "A. {{ more }}"}}, ("one",)),
}


@pytest.mark.parametrize(("said", "found"), INCOMPLETE.items(), ids=INCOMPLETE)
def test_half_a_claim_is_refused_and_says_which_half_is_missing(said, found):
    one, keys = found
    with pytest.raises(ContentError, match=f"claims.toml: one: .*{re.escape(said)}"):
        joined(one, dict.fromkeys(keys, hopper.algorithm_1))


def test_a_claim_is_its_table_and_its_function():
    texts = {"texts": {"more": "B."}}
    table = TABLE | {"method": "A. {{ more }}", "because": {FAILED: "{{ more }}"}}
    (claim,) = joined(texts | {"one": table}, {"one": hopper.algorithm_1}).values()
    assert (claim.key, claim.method, claim.because) == ("one", "A. B.", {FAILED: "B."})
    assert (claim.region, claim.compute) == (Region(high=2.0), hopper.algorithm_1)


def test_every_text_is_used_and_no_key_is_in_two_files():
    said = (FOLDER / "claims.toml").read_text(encoding="utf-8")
    for name in tables(FOLDER / "claims.toml")["texts"]:
        assert said.count(f"{{{{ {name} }}}}") >= 1, name
    assert sum(len(of.COMPUTE) for of in (hopper, aktas_soljanin, xu_lau, dolly)) == len(CLAIMS)


@every_claim
def test_a_claim_says_what_it_is_in_sentences(claim):
    assert claim.key == claim.key.lower()
    assert claim.statement.endswith(".")
    assert claim.method.endswith(".")
    assert claim.setting
    assert math.isfinite(claim.reported)
    assert set(claim.because) <= set(VERDICTS)
    assert all(reason.endswith(".") for reason in claim.because.values())


@every_claim
def test_the_reported_number_would_reproduce_itself(claim):
    exact = Estimate(claim.reported, claim.reported, claim.reported)
    assert claim.judge(exact).word == REPRODUCED


@every_claim
def test_some_number_would_not(claim):
    """A rule that nothing can fail decides nothing."""
    wrong = [claim.region.low, claim.region.high]
    assert any(math.isfinite(bound) for bound in wrong)
    if claim.shape is not None:
        assert claim.shape.low <= claim.region.low <= claim.region.high <= claim.shape.high
        wrong = [claim.shape.low, claim.shape.high]
    beyond = [bound + sign for bound, sign in zip(wrong, (-1, 1), strict=True) if math.isfinite(bound)]
    for number in beyond:
        assert claim.judge(Estimate(number, number, number)).word == FAILED


def test_a_verdict_follows_the_interval():
    claim = made(shape=Region(0.0, 1.2))
    assert claim.judge(Estimate(1.25, 1.15, 1.35)).word == REPRODUCED  # it may well be 1.2
    assert claim.judge(Estimate(0.5, 0.4, 0.6)).word == SHAPE
    assert claim.judge(Estimate(2.0, 1.9, 2.1)).word == FAILED
    assert claim.judge(Estimate(0.1, -0.1, 0.3)).word == UNDECIDED  # not even the direction
    assert claim.judge(Estimate(1.0, -9.0, 11.0)).word == UNDECIDED
    assert claim.judge(Estimate(1.0)).word == UNDECIDED
    assert claim.judge(Estimate(None)).word == UNDECIDED


@given(low=st.floats(-10, 10), width=st.floats(0, 10), value=st.floats(-30, 30), half=st.floats(0, 30))
def test_a_region_is_met_by_what_overlaps_it_and_can_tell(low, width, value, half):
    region = Region(low, low + width)
    answer = region.meets(Estimate(value, value - half, value + half))
    overlaps = max(low, value - half) <= min(low + width, value + half)
    assert (answer is not False) == overlaps
    if answer is None:
        assert half > width / 2 - 1e-9


def test_a_reason_that_is_known_is_given():
    claim = made(because={FAILED: "Because the paper counts otherwise."})
    assert claim.judge(Estimate(5.0, 5.0, 5.0)).reason == "Because the paper counts otherwise."


def test_a_reason_has_the_numbers_that_were_computed():
    of_small = {"small jobs": Estimate(0.36, 0.264, 0.456)}
    measured = Measured(Estimate(5.0, 4.9, 5.1), choices=of_small)
    claim = made(
        because={FAILED: "It is {|plain}, and {small jobs|%} of them."}, compute=lambda quick: measured
    )
    assert outcome(claim)["reason"] == "It is 5.0 ± 0.1, and 36 ± 10 % of them."


#: Numbers in words that would be a result.
SPELLED = r"\b(half|twice|third|quarter|fifth|tenth|twentieth)s?\b"


@every_claim
def test_no_number_is_typed_into_a_reason_that_is_not_the_papers_or_the_settings(claim):
    """A number that was wrong when it was typed is noticed by nobody: 42 % was 36 %."""
    given = [claim.statement, claim.setting, claim.method, f"{claim.reported:g}"]
    given += recorded()[claim.key]["choices"]
    allowed = {number for text in given for number in numbers(text)}
    for reason in claim.because.values():
        typed = PLACE.sub("", reason)
        assert numbers(typed) <= allowed, (numbers(typed) - allowed, reason)
        assert set(re.findall(SPELLED, typed)) <= set(re.findall(SPELLED, " ".join(given)))


def numbers(text: str) -> set[str]:
    """Numbers of a text; names that end in one, as m2 and xi = 5, have theirs."""
    return {one.replace(",", "") for one in re.findall(r"\d[\d,]*\.?\d*(?<![.,])", text)}


@every_claim
def test_the_places_of_a_reason_are_of_its_choices(claim):
    for reason in claim.because.values():
        for name, how in PLACE.findall(reason):
            assert how in HOW
            assert not name or name in recorded()[claim.key]["choices"]


@every_claim
def test_a_bound_is_the_end_of_what_bears_the_claim_out(claim):
    ends = {"≤": claim.region.high, "≥": claim.region.low}
    if claim.bound:
        assert ends[claim.bound] == claim.reported
        assert claim.region.holds(Estimate(*[claim.reported + {"≤": -1, "≥": 1}[claim.bound]] * 3))
        assert "agrees" not in claim.judge(Estimate(*[claim.reported] * 3)).reason


def test_what_is_far_within_a_bound_does_not_agree_with_it():
    claim = CLAIMS["hopper-fig5a-four-probes"]
    assert claim.judge(Estimate(1.0035, 1.002, 1.005)).reason == "Ours is within the bound."
    assert "reported ≤ 1.15 x central" in as_line(claim, recorded()[claim.key])
    assert not CLAIMS["xl-fig4-alpha2"].bound


@every_claim
def test_what_is_counted_as_reproduced_beside_another_number_says_up_to_where(claim):
    one = recorded()[claim.key]
    if one["verdict"] != REPRODUCED or claim.bound or one["low"] <= claim.reported <= one["high"]:
        return
    away, high = abs(one["value"] - claim.reported), one["value"] > claim.reported
    if away < ROUNDING:
        return
    assert not re.search(r"\bagree|is the reported|\bwithin\b", one["reason"])
    inside = claim.region.low <= one["value"] <= claim.region.high
    assert inside != ("its interval reaches what is counted" in one["reason"])
    end = claim.region.high if high else claim.region.low
    scale = 100 / abs(claim.reported) if claim.reported else 1
    if math.isinf(end):
        assert re.search(r"Ours is [\d.]+ (high|low)er; any \1er number is counted", one["reason"])
        return
    said = re.search(
        r"Ours is ([\d.]+)(?: %)? too (high|low); .*counted as reproduced up to ([\d.]+)", one["reason"]
    )
    assert said
    assert said[2] == ("high" if high else "low")
    told, allowed = (float(said[place].rstrip(".")) for place in (1, 3))
    assert told == pytest.approx(scale * away, rel=0.06, abs=0.06 if claim.reported else 0)
    assert allowed == pytest.approx(scale * abs(end - claim.reported), rel=0.06)
    assert (told <= allowed) is inside


def test_an_interval_that_only_reaches_into_the_region_says_so():
    claim = CLAIMS["dolly-fig6-small-late"]
    low = claim.region.low
    reason = claim.judge(Estimate(low - 0.01, low - 0.03, low + 0.01)).reason
    assert "its interval reaches what is counted as reproduced up to" in reason
    bound = CLAIMS["hopper-fig5a-four-probes"]
    assert bound.judge(Estimate(1.16, 1.14, 1.18)).reason == "The interval of ours reaches the bound."


def test_an_outcome_has_what_the_page_reads():
    found = outcome(made(Estimate(1.0, 0.9, 1.1)))
    assert set(found) == FIELDS
    assert (found["value"], found["low"], found["high"]) == (1.0, 0.9, 1.1)
    assert (found["verdict"], found["replications"], found["seed"]) == (REPRODUCED, 4, 7)
    assert found["version"] == sim.__version__


def test_recording_keeps_the_other_outcomes_and_the_order(tmp_path):
    file = tmp_path / "results.json"
    first, second = list(CLAIMS)[:2]
    file.write_text(merged({second: outcome(made())}, CLAIMS, file))
    file.write_text(merged({first: outcome(made())}, CLAIMS, file))
    assert list(recorded(file)) == [first, second]
    assert json.loads(file.read_text())[second]["value"] == 1.0
    quick = outcome(made(Estimate(3.0, 2.0, 4.0)), quick=True)
    file.write_text(merged({second: quickly(quick)}, CLAIMS, file))
    kept = recorded(file)[second]
    assert (kept["value"], kept["quick"]["value"]) == (1.0, 3.0)  # the two scales side by side


def test_what_is_recorded_belongs_to_a_claim_and_says_why():
    found = recorded()
    assert set(found) == set(CLAIMS), "run: python -m sim reproduce KEY --record"
    for key, one in found.items():
        searched = {"nearest"} if key in TRIED and one["verdict"] == FAILED else set()
        assert set(one) - {"nearest"} == FIELDS | {"quick"}, key
        assert searched <= set(one), f"run: python -m sim reproduce {key} --nearest --record"
        assert one["digest"] == digest(CLAIMS[key]), f"stale: python -m sim reproduce {key} --record"
        assert one["reported"] == CLAIMS[key].reported
        verdict = CLAIMS[key].judge(Estimate(one["value"], one["low"], one["high"]))
        choices = {name: Estimate(*(kept[end] for end in ENDS)) for name, kept in one["choices"].items()}
        own = Estimate(*(one[end] for end in ENDS))
        assert (one["verdict"], one["reason"]) == (verdict.word, filled(verdict.reason, own, choices)), key
        assert one["reason"].endswith(".")
        assert "not known" not in one["reason"], key


@pytest.mark.compiled
def test_a_search_moves_the_number_that_is_judged():
    """What is tried with a factor of 1 is the claim's own quick number, and what was found reproduces it."""
    kept = recorded()
    for key in QUICK_TO_TRY:
        own = preset(TRIED[key][0]).scenario
        estimate = moved(CLAIMS[key], own, XU_LAU[0], 1.0, quick=True)
        assert estimate is not None
        assert estimate.value == pytest.approx(kept[key]["quick"]["value"], rel=1e-9), key


@pytest.mark.slow
def test_what_a_search_found_reproduces_the_claim_and_a_step_less_does_not():
    key = "xl-fig2-mantri-resource"
    found, claim = recorded()[key]["nearest"], CLAIMS[key]
    own = preset(TRIED[key][0]).scenario
    knob = next(one for one in XU_LAU if one.called == found["field"])
    factor = found["then"] / found["now"]
    step = STEP ** math.copysign(1 / FINER, math.log(factor))
    words = [claim.judge(moved(claim, own, knob, one, quick=False)).word for one in (factor, factor / step)]
    assert words == [REPRODUCED, FAILED]


def test_a_search_says_that_it_is_of_this_claim_and_how_far_it_went():
    for key, one in recorded().items():
        if found := one.get("nearest"):
            assert found["digest"] == digest(CLAIMS[key]), f"stale: sim reproduce {key} --nearest --record"
            assert told_nearest(found).endswith(".")
            if "field" in found:
                assert 1 / MOST <= found["then"] / found["now"] <= MOST
                assert found["field"] in {knob.called for knob in (*XU_LAU, *DOLLY)}


def test_a_key_may_end_early():
    assert [claim.key for claim in chosen(["xl-fig4"])] == [
        key for key in CLAIMS if key.startswith("xl-fig4-")
    ]
    assert chosen(["all"]) == list(CLAIMS.values())
    with pytest.raises(BadInput, match="claim: 'xl-fig44' is not known; did you mean"):
        chosen(["xl-fig44"])


def test_the_shell_lists_computes_and_refuses(capsys):
    assert main(["reproduce"]) == 0
    listed = capsys.readouterr().out
    assert all(key in listed for key in CLAIMS)
    assert main(["reproduce", "xl-fig4", "--scale", "quick", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["xl-fig4-alpha2"]["value"] == pytest.approx(1 + math.sqrt(0.5))
    assert main(["reproduce", "xl-fig4-alpha2"]) == 0
    assert "reproduced" in capsys.readouterr().out
    assert main(["reproduce", "fig99"]) == 2
    assert "fig99" in capsys.readouterr().err
    assert main(["reproduce", "--record"]) == 2
    assert "record" in capsys.readouterr().err
