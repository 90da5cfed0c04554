"""Calls that a signal ends at their first progress report."""

import os
import signal

import pytest
from trnsci._core import _native


def assert_ends_at_first_report(call, threads, monkeypatch, limit=None):
    """Run ``call(threads=, progress=)``, send Ctrl-C with its first report and assert that its work ends.

    Nothing is timed. The library counts the parts of loops that were due although the call had been cancelled. By
    default one for each thread and one more are allowed. A call that looks for cancellation only at its end has all.
    """
    _native.call("JobEnd", -1)  # loads the library; there is no such job
    library, late, seen = _native._library, [], []
    end = library.JobEnd
    monkeypatch.setattr(library, "JobEnd", lambda job: late.append(end(job)))

    def interrupt(done, total):
        seen.append((done, total))
        if len(seen) == 1:
            os.kill(os.getpid(), signal.SIGINT)

    # A background process may have inherited that the signal is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            call(threads=threads, progress=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    ((done, total),) = seen
    assert done < total, "the call was over when its first report came: its operands are too small"
    limit = threads + 1 if limit is None else limit
    assert len(late) == 1 and late[0] <= limit, (
        f"{late} parts were due after the call had been cancelled, allowed {limit}"
    )
