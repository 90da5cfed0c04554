"""Calls that a signal ends when they report progress for the first time, and what the library did after it."""

import os
import signal

import pytest
from trnsci._core import _native


def assert_ends_at_first_report(call, threads, monkeypatch):
    """Run ``call(threads=, progress=)``, send Ctrl-C with its first report and assert that its work ends.

    Nothing is timed. The library counts the parts of loops that were due although the call had been cancelled: each
    thread may have one under way. A call that looks for cancellation only at its end has all of them.
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
    assert len(late) == 1 and late[0] <= threads + 1, f"{late} parts began after the call was cancelled"
