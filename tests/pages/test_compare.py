"""The Compare page without a browser: controls, links, uploads, and texts that must never be shown."""

from __future__ import annotations

import hashlib
import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1 import AppTest

from pages.compare import controls
from pages.compare.words import answer
from pages.shared.controls.fields import menu
from pages.shared.live.cards import lines_of
from sim.engines.registry import presets_of
from sim.engines.slots.scenario import read_policy, sharing_rules, speculation_rules
from sim.model.outcome import leading
from sim.running.animation import LOG, animation
from sim.running.execution import Effort
from sim.running.experiment import Experiment, compare
from tests.pages.animated import animations_of
from tests.pages.visits import DRAWERS, seen, visit
from tests.strategies import policies

PRESETS = presets_of("slots")

SMALL = {"preset": "small", "precision": "10.0"}


def labelled(widgets, start):
    return next(widget for widget in widgets if widget.label.startswith(start))


def means(app: AppTest) -> list[str]:
    return [metric.value for metric in app.metric]


def test_the_page_shows_a_card_a_policy_four_charts_and_what_to_notice():
    app = visit("compare", **SMALL)
    assert not app.exception
    assert len(app.metric) == len(PRESETS["small"].policies)
    assert all(metric.value.endswith(" s") for metric in app.metric)
    assert len(app.get("plotly_chart")) == 5  # the fifth is the small cluster's
    assert any("What to notice" in block.value for block in app.markdown)
    words = " ".join(block.value for block in [*app.markdown, *app.caption])
    assert not re.search(r"\b(nan|NaN|None|inf)\b", words)
    assert "95 % interval" in words


def test_two_of_the_policies_are_watched_on_a_small_cluster_and_others_when_chosen():
    app = visit("compare", **SMALL, slots="12", seed="3")
    (found,) = animations_of(app)
    assert [run["name"] for run in found.animation["runs"]] == [
        "Fair shares + LATE",
        "Shortest first + Mantri",
    ]
    assert {run["slots"] for run in found.animation["runs"]} == {12}
    app.selectbox(key="compare:Below").set_value("FIFO + no copies").run()
    (found,) = animations_of(app)
    assert [run["name"] for run in found.animation["runs"]] == ["Fair shares + LATE", "FIFO + no copies"]
    experiment = Experiment.of_texts(
        PRESETS["small"].scenario.replace(slots=12, seed=3), ("fair+late", "fifo+none")
    )
    for run, sample in zip(found.animation["runs"], experiment.replicate(0, log=LOG), strict=True):
        assert (
            run["copies"]
            == animation(experiment.scenario, experiment.workload(0), sample.log).compact()["copies"]
        )


def test_of_many_jobs_the_first_are_watched_and_of_many_slots_none():
    few = {"preset": "light", "jobs": "1000", "policies": "fair+none;fair+late", "precision": "10.0"}
    app = visit("compare", **few, slots="40")
    (found,) = animations_of(app)
    assert len(found.animation["runs"][0]["jobs"]) < 100
    assert any("One run of" in caption.value and "Fair shares" in caption.value for caption in app.caption)
    assert not animations_of(
        visit("compare", preset="light", slots="50", jobs="1000", policies="fair+none", precision="10.0")
    )


def test_a_card_has_the_whole_name_and_the_shell_line_has_the_codes():
    code = "hopper:epsilon=0.25+late:speculative_cap=0.2"
    long = "Hopper, ε = 0.25 + LATE, speculative cap = 0.2"
    app = visit("compare", **SMALL, policies=f"fifo+none;{code}", baseline="fifo+none")
    assert [card.label.partition(" ")[2] for card in app.metric] == ["**FIFO + no copies**", f"**{long}**"]
    assert f"--policy fifo+none --policy {code}" in app.code[0].value


def test_an_unstable_policy_is_marked():
    app = visit("compare", **SMALL, load="2.0")
    assert app.metric
    assert all(card.label.endswith(":red-badge[unstable]") for card in app.metric)


def test_an_answer_that_is_known_takes_few_messages(monkeypatch):
    app = visit("compare", **SMALL)
    for load in (0.5, 0.55, 0.5):
        labelled(app.slider, "How busy").set_value(load).run()
    kinds = []
    note = staticmethod(lambda message: kinds.append(message.delta.new_element.WhichOneof("type")))
    monkeypatch.setattr(ForwardMsgQueue, "_before_enqueue_msg", note)
    labelled(app.slider, "How busy").set_value(0.55).run()
    charts = [place for place, kind in enumerate(kinds) if kind == "plotly_chart"]
    assert len(charts) == 5
    assert charts[3] <= 35  # each message more is another 20 ms for a class of a hundred


def test_one_job_is_told_to_leave_nothing_to_observe_rather_than_zeros():
    app = visit("compare", preset="small", jobs="1", policies="fair+none;fair+dolly")
    words = " ".join(map(str, seen(app)))
    assert not app.exception
    # below two charts, and as the words of one
    assert words.count("one job leaves nothing to see before it") == 3
    assert "no job was observed" in words
    assert not re.search(r"\b0 % (busy|of the slots|hold)|holds 4\.0 slots", words)


def test_controls_without_phases_slow_machines_and_blocks_step_aside():
    app = visit("compare", **SMALL)
    labels = " ".join(one.label for one in [*app.slider, *app.select_slider])
    assert "Most phases per job" in labels
    for absent in ("Share of inputs", "times as", "Slots per machine"):
        assert absent not in labels


def test_epsilon_and_alpha_always_have_a_slider_which_says_why_it_changes_nothing():
    app = visit("compare", **SMALL, policies="fair+late")
    epsilon, alpha = (labelled(app.slider, label) for label in ("How unfair Hopper", "Weight of transfers"))
    assert epsilon.disabled
    assert alpha.disabled
    assert "No chosen policy is Hopper" in epsilon.help
    assert "Jobs have one phase" in alpha.help
    app = visit("compare", preset="hopper-dag", precision="10.0", jobs="300")
    epsilon, alpha = (labelled(app.slider, label) for label in ("How unfair Hopper", "Weight of transfers"))
    assert not epsilon.disabled
    assert not alpha.disabled
    assert "one phase" not in alpha.help


def test_what_a_rule_sees_changes_the_answer():
    app = visit("compare", **SMALL)
    before = means(app)
    labelled(app.selectbox, "The remaining time").set_value("fraction").run()
    labelled(app.slider, "Share s").set_value(0.8).run()
    assert not app.exception
    assert means(app) != before
    assert app.query_params["observe"] == "fraction:0.8"


def test_what_a_rule_sees_stays_when_its_drawer_closes_and_follows_the_preset():
    app = visit("compare", **SMALL)
    labelled(app.selectbox, "The remaining time").set_value("fraction").run()
    app.session_state["compare:open:sees"] = False
    app.run()
    assert app.query_params["observe"] == "fraction:0.2"
    app.session_state["compare:open:sees"] = True
    labelled(app.selectbox, "Start from").set_value("light").run()
    assert labelled(app.selectbox, "The remaining time").value == "age"
    assert "observe" not in app.query_params


def test_every_declared_parameter_of_the_chosen_rules_has_a_slider():
    app = visit("compare", **SMALL, policies="fair+late;srpt+mantri;hopper+budget")
    labels = [one.label.partition(" (")[0] for one in (*app.slider, *app.toggle)]
    for rule in (sharing_rules()["srpt"], *speculation_rules().values()):
        if rule.key in ("late", "mantri", "budget", "srpt"):
            for parameter in rule.parameters:
                assert parameter.label.partition(" (")[0] in labels


def test_a_parameter_slider_changes_the_policy_and_the_link():
    app = visit("compare", **SMALL, policies="fair+late")
    labelled(app.slider, "Most slots with extra copies").set_value(0.5).run()
    assert not app.exception
    assert app.query_params["policies"] == "fair+late:speculative_cap=0.5"


def test_a_switch_of_a_rule_changes_the_policy_and_dollys_epsilon_has_a_slider():
    app = visit("compare", **SMALL, policies="srpt+mantri;hopper+dolly")
    labelled(app.toggle, "Copy while tasks wait").set_value(False).run()
    labelled(app.slider, "Accepted risk of an outlier").set_value(0.1).run()
    assert not app.exception
    assert app.query_params["policies"] == "srpt+mantri:waiting=0;hopper+dolly:epsilon=0.1"


def test_a_policy_is_added_from_whose_turn_it_is_and_who_is_copied():
    app = visit("compare", **SMALL, policies="fair+late")
    app.session_state["compare:add"] = True
    app.run()
    for label, rules in (("Whose turn it is", sharing_rules()), ("Who is copied", speculation_rules())):
        menu = labelled(app.radio, label)
        assert menu.options == [rule.title for rule in rules.values()]
        for rule, told in zip(rules.values(), menu.proto.captions, strict=True):
            assert rule.summary[1:] in told
            assert rule.reference in told
    labelled(app.radio, "Whose turn it is").set_value("srpt").run()
    labelled(app.radio, "Who is copied").set_value("mantri").run()
    labelled(app.button, "Add Shortest first + Mantri").click().run()
    assert not app.exception
    assert app.query_params["policies"] == "fair+late;srpt+mantri"
    assert [card.label.partition(" ")[2] for card in app.metric] == [
        "**Fair shares + LATE**",
        "**Shortest first + Mantri**",
    ]
    assert labelled(app.button, "Add Shortest first + Mantri").disabled


def test_the_first_menu_offers_six_policies_and_what_is_chosen():
    app = visit("compare", **SMALL, policies="fair+late;fifo+none")
    assert len(controls.FIRST) == 6
    texts = dict.fromkeys(["fair+late", "fifo+none", *controls.FIRST])
    assert labelled(app.multiselect, "Policies").options == [read_policy(text).name for text in texts]


def test_one_help_tells_what_every_control_in_sight_means():
    app = visit("compare", **SMALL)
    (start,) = (box for box in app.selectbox if box.label == "Start from")
    assert labelled(app.multiselect, "Policies").help == labelled(app.slider, "How busy").help == ""
    for name in ("policies", "load", "straggle_tail", "slots", "epsilon", "transfer"):
        assert controls.PANEL.controls[name].about in start.help
    few = visit("compare", **SMALL, show="load")
    assert labelled(few.slider, "How busy").help == controls.PANEL.controls["load"].about
    assert [box.label for box in few.expander if box.label == "More"] == []
    assert "More" in [box.label for box in app.expander]


def test_epsilon_is_set_beside_other_parameters_of_hopper():
    link = {"policies": "hopper:learn_tail=1+budget;fair+late", "epsilon": "0.5"}
    app = visit("compare", **SMALL, **link)
    assert not app.exception
    assert not app.error
    assert [card.label.partition(" ")[2] for card in app.metric] == [
        "**Hopper, ε = 0.5, learn tail = 1**",
        "**Fair shares + LATE**",
    ]
    assert {name: app.query_params[name] for name in link} == link


@given(st.data())
def test_the_epsilon_slider_can_meet_any_policy(data):
    chosen = [data.draw(policies(data.draw(st.sampled_from(menu())))) for _ in range(2)]
    epsilon = data.draw(st.integers(0, 20)) * 0.05
    for before, after in zip(chosen, controls.with_epsilon(chosen, epsilon), strict=True):
        assert read_policy(after.text) == after
        if controls.leaves_epsilon_open(before):
            assert after.sharing.as_dict == before.sharing.as_dict | {"epsilon": epsilon}
            assert after.speculation == before.speculation
        else:
            assert after == before


def test_a_link_restores_the_page_and_writes_itself_again():
    link = {
        "preset": "small",
        "load": "0.6",
        "beta": "2.5",
        "slots": "40",
        "seed": "7",
        "policies": "fair+late:speculative_cap=0.3;hopper+budget",
        "observe": "fraction:0.2",
        "epsilon": "0.4",
        "precision": "10.0",
        "baseline": "hopper:epsilon=0.4+budget",
    }
    app = visit("compare", v="1", **link)
    assert not app.exception
    assert not app.warning
    assert labelled(app.slider, "How busy").value == 0.6
    assert labelled(app.slider, "How unfair Hopper").value == 0.4
    assert labelled(app.select_slider, "Slots").value == 40
    assert labelled(app.number_input, "Random seed").value == 7
    written = dict(app.query_params.items())
    assert written == {"v": "2", **link, "precision": "10"}
    again = visit("compare", **written)
    assert means(again) == means(app)


@pytest.mark.parametrize(
    ("preset", "link"),
    [("light", {}), ("light", {"preset": "light"}), ("xu-lau-fig5", {"preset": "xu-lau-fig5"})],
)
def test_a_link_of_the_last_release_means_what_it_did(preset, link):
    """Version 0.2.0 began with `light`, and two presets had other policies."""
    few = {"jobs": "300", "precision": "10", "seed": "57"} if preset == "light" else {"seed": "57"}
    former = controls.FORMER_POLICIES[preset]
    app = visit("compare", v="1", **few, **link)
    assert not app.warning
    assert app.session_state["compare.preset"] == preset
    assert app.session_state["compare.policies"] == [read_policy(text).text for text in former]
    assert app.session_state["compare.baseline"] == read_policy(former[0]).text
    written = {name: app.query_params[name] for name in app.query_params}
    assert written["v"] == "2"
    again = visit("compare", **written)
    assert not again.warning
    assert {name: again.query_params[name] for name in again.query_params} == written
    assert seen(again) == seen(app)
    assert seen(visit("compare", preset=preset, **few)) != seen(app)


def test_the_page_and_a_link_of_this_version_begin_with_the_new_preset():
    for link in ({}, {"v": "2"}, {"v": "2", "seed": "7"}):
        app = visit("compare", jobs="300", precision="10", **link)
        assert app.session_state["compare.preset"] == controls.DEFAULT_PRESET
        assert "hopper+budget" in app.session_state["compare.policies"]


BAD = (
    {
        "load": "nan",
        "slots": "10.5",
        "policies": "fair+lat",
        "observe": "age:-1",
        "epsilon": "2",
        "precision": "3",
        "tasks": "trace",
        "colour": "red",
    },
    {"load": "fast", "slots": "90000", "policies": ";".join(["fair"] * 6), "preset": "aktas", "v": "99"},
)
SAID = (
    ("load: 'nan'", "whole number", "'lat'", "age:a", "from 0 to 1", "precision", "upload", "not known"),
    ("load: 'fast'", "from 10 to 10000", "1 to 5", "known are light, busy", "version 2 or 1"),
)


@pytest.mark.parametrize(("link", "said"), list(zip(BAD, SAID, strict=True)))
def test_a_bad_link_is_explained_and_the_rest_of_the_page_works(link, said):
    app = visit("compare", **(SMALL | link))
    assert not app.exception
    told = [warning.value for warning in app.warning]
    assert len(told) == len(link)
    for words in said:
        assert any(words in one for one in told), words
    assert app.metric


def test_a_preset_sets_every_control():
    app = visit("compare", **SMALL)
    labelled(app.slider, "How busy").set_value(0.3).run()
    labelled(app.selectbox, "Start from").set_value("mm100").run()
    assert not app.exception
    scenario = PRESETS["mm100"].scenario
    assert labelled(app.slider, "How busy").value == scenario.load
    assert labelled(app.select_slider, "Slots").value == scenario.slots
    assert [read_policy(text).text for text in labelled(app.multiselect, "Policies").value] == [
        read_policy(text).text for text in PRESETS["mm100"].policies
    ]


def test_no_policy_and_a_policy_that_cannot_be_read_are_explained():
    app = visit("compare", **SMALL)
    labelled(app.multiselect, "Policies").set_value([]).run()
    assert not app.exception
    assert "policy: none is given" in app.error[0].value


CSV = "job_id,submit,tasks\n" + "".join(f"j{i},{2 * i},{1 + i % 9}\n" for i in range(40))


def test_an_upload_is_used_and_its_controls_step_aside():
    app = visit("compare", **SMALL)
    before = means(app)
    labelled(app.file_uploader, "SWIM").set_value([("jobs.csv", CSV.encode(), "text/csv")]).run()
    assert not app.exception
    assert means(app) != before
    assert not [one for one in app.selectbox if one.label == "Arrivals"]
    assert any("the arrivals are recorded" in caption.value for caption in app.caption)


def test_a_broken_upload_names_file_line_and_reason():
    app = visit("compare", **SMALL)
    broken = CSV.replace("j3,6,4", "j3,six,4")
    labelled(app.file_uploader, "SWIM").set_value([("jobs.csv", broken.encode(), "text/csv")]).run()
    assert not app.exception
    assert "jobs.csv" in app.error[0].value
    assert "line 5" in app.error[0].value


def test_two_visitors_do_not_see_each_others_upload():
    one, other = visit("compare", **SMALL), visit("compare", **SMALL)
    labelled(one.file_uploader, "SWIM").set_value([("jobs.csv", CSV.encode(), "text/csv")]).run()
    other.run()
    assert means(other) == means(visit("compare", **SMALL))
    assert means(one) != means(other)


def test_every_pair_the_menu_offers_can_be_read():
    assert len(menu()) == len(sharing_rules()) * len(speculation_rules())
    for text in menu():
        assert read_policy(text).text == text


@cache
def briefly(name):
    """Return what a preset compares: with fewer jobs where it leads with a statistic that needs no more."""
    scenario = PRESETS[name].scenario.replace(seed=57)
    if leading(scenario) == "p50" and scenario.jobs > 500:
        scenario = scenario.replace(jobs=500)
    assert leading(scenario) == leading(PRESETS[name].scenario)
    experiment = Experiment.of_texts(scenario, PRESETS[name].policies)
    return compare(experiment, Effort(replications=4)).in_words()


#: What policies are told apart by.
TOLD_APART = (*(("flowtime", one) for one in ("mean", "p50", "p95", "p99")), ("resource", "mean"))


@pytest.mark.parametrize("name", list(PRESETS))
def test_no_two_policies_of_a_preset_tie_and_what_it_leads_with_is_known(name):
    comparison = briefly(name)
    found = [tuple(one.estimate(*each).value for each in TOLD_APART) for one in comparison.policies.values()]
    assert len(set(found)) == len(found)
    lines = lines_of(comparison, leading(comparison.scenario))
    assert [line.value for line in lines if "?" in line.value] == []


@pytest.mark.parametrize("name", list(PRESETS))
def test_the_second_sentence_of_a_preset_has_at_most_25_words(name):
    comparison = briefly(name)
    told = answer(comparison, leading(comparison.scenario), PRESETS[name].asks)
    _, *others = re.split(r"(?<=\.) (?=[A-Z*])", told)
    assert len(others) <= 1
    assert len(" ".join(others).split()) <= 25


@pytest.mark.parametrize("name", list(PRESETS))
def test_every_preset_lies_within_its_controls(name):
    for entry in controls.PANEL.entries(name):
        assert entry.read(entry.write(entry.default)) == entry.default


def test_what_a_closed_drawer_holds_stays_as_it_was():
    app = visit("compare", **SMALL)
    labelled(app.slider, "Warm-up").set_value(0.3).run()
    labelled(app.selectbox, "Law of").set_value("exponential").run()
    before = means(app)
    for name in DRAWERS["compare"]:
        app.session_state[f"compare:open:{name}"] = False
    app.run()
    assert not [one for one in app.slider if one.label.startswith("Warm-up")]
    assert means(app) == before
    assert app.query_params["warm_up"] == "0.3"
    app.session_state["compare:open:precision"] = True
    app.run()
    assert labelled(app.slider, "Warm-up").value == 0.3


def test_the_baseline_changes_the_differences():
    app = visit("compare", **SMALL)
    before = [metric.delta for metric in app.metric]
    labelled(app.selectbox, "Compare with").set_value("fifo+none").run()
    assert not app.exception
    after = [metric.delta for metric in app.metric]
    assert before[0] == "the baseline"
    assert after[-1] == "the baseline"
    assert after[0] != before[0]


def with_file(app, content=CSV, name="jobs.csv"):
    labelled(app.file_uploader, "SWIM").set_value([(name, content.encode(), "text/csv")]).run()
    assert not app.exception
    return app


def test_a_link_made_with_a_file_asks_for_it_and_simulates_nothing_else():
    app = with_file(visit("compare", **SMALL))
    link = {name: app.query_params[name] for name in app.query_params}
    size, digits, name = link["file"].split(",")
    assert (size, name) == (str(len(CSV)), "jobs.csv")
    assert digits == hashlib.sha256(CSV.encode()).hexdigest()[:16]
    opened = visit("compare", **link)  # as after a restart, or somebody else
    assert f"this link needs jobs.csv ({len(CSV):,} bytes" in opened.error[0].value
    assert "drop it again" in opened.error[0].value
    assert not opened.metric
    assert means(with_file(opened)) == means(app)
    warned = "Leaving this page or loading it again loses the file: then drop it again."
    assert warned in [one.value for one in opened.caption]
    assert warned not in [one.value for one in visit("compare", **SMALL).caption]
    assert not opened.warning


def test_a_link_made_with_another_file_says_so_once():
    app = with_file(visit("compare", **SMALL))
    opened = visit("compare", **{name: app.query_params[name] for name in app.query_params})
    with_file(opened, CSV.replace("j3,6,4", "j3,6,5"))
    assert "the file you gave is another one" in opened.warning[0].value
    assert not opened.run().warning
    assert opened.query_params["file"] != app.query_params["file"]


def test_one_can_go_on_without_the_file_of_a_link():
    opened = visit("compare", **SMALL, file=f"12,{'0' * 16},lost.csv")
    assert not opened.metric
    next(button for button in opened.button if button.label == "Go on without the file").click().run()
    assert not opened.error
    assert means(opened) == means(visit("compare", **SMALL))
    assert "file" not in opened.query_params


@pytest.mark.parametrize(
    "text", ["jobs.csv", "1,2,3", f"-1,{'0' * 16},a", f"1,{'g' * 16},a", f"9,{'0' * 16},"]
)
def test_a_file_of_a_link_that_cannot_be_read_is_explained(text):
    opened = visit("compare", **SMALL, file=text)
    assert "give bytes,digest,name" in opened.warning[0].value
    assert opened.metric
