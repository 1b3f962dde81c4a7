"""The browser's sandbox outside a browser: its engine, run by the Node that Playwright brings along."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import playwright

from pages.frame.browser import PARTS

NODE = Path(playwright.__file__).parent / "driver" / "node"


def told(script: str, given: Any) -> Any:
    """Return what a script says about `given`; `engine` is the sandbox's engine, `words` its sentences."""
    head = f"""
        import {{ readFileSync }} from "node:fs";
        const engine = await import({json.dumps(f"{PARTS}/sandbox-engine.js")});
        const words = await import({json.dumps(f"{PARTS}/sandbox-words.js")});
        const given = JSON.parse(readFileSync(0));
    """
    whole = f"{head}\nconsole.log(JSON.stringify((() => {{ {script} }})()));"
    done = subprocess.run(
        [NODE, "--input-type=module", "--eval", whole],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)
