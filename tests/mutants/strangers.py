"""Bugs in the defences against strangers: uploads, messages, the log, and waiting."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

TESTS = "tests/pages/server/"

MUTANTS = (
    Mutant(
        "a-byte-now-and-then-is-pace-enough",
        "UploadLimits._received",
        """        if event.get("more_body"):  # a byte now and then is no pace
            self._goes_on(arrival)
""",
        "",
        f"{TESTS}test_uploads.py -k small_parts",
        plain=True,
    ),
    Mutant(
        "files-of-a-widget-are-not-counted",
        "messages._is_crowded",
        "sum(len(one.file_uploader_state_value.uploaded_file_info) for one in widgets) > MOST_WIDGETS",
        "False",
        f"{TESTS}test_messages.py",
        plain=True,
    ),
    Mutant(
        "every-place-has-its-tracebacks",
        "Calm.filter",
        'self._number("traceback") > MOST_TRACES',
        "False",
        f"{TESTS}test_log.py",
        plain=True,
    ),
    Mutant(
        "a-server-asks-for-no-more-files",
        "run.allow_files",
        "soft != resource.RLIM_INFINITY and soft < most",
        "False",
        f"{TESTS}test_settings.py -k files",
        plain=True,
    ),
    Mutant(
        "work-is-parked-though-somebody-has-come",
        "Pool._serve",
        "if run.followers:  # a follower has joined",
        "if False:  # a follower has joined",
        "tests/sim/test_live.py -k being_given_up",
        plain=True,
    ),
)
