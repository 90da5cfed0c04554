"""Scripts that tests run in a fresh interpreter."""

import os
import subprocess
import sys
import textwrap

# Far more than any of these scripts takes; a hang must fail the test, not the whole run.
TIMEOUT = 120


def run_script(script, *, path=None, env=None):
    """Run a script in a fresh interpreter and return its standard output."""
    environment = dict(os.environ, **(env or {}))
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env=environment,
    )
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
