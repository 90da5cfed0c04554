"""``python -m trnsci``: help, version, signals of commands."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import trnsci
from trnsci import __main__
from trnsci._core import _termination


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "trnsci", *arguments], capture_output=True, text=True, timeout=100)


def test_without_a_word_it_prints_the_help():
    done, asked = run(), run("--help")
    assert (done.returncode, done.stderr) == (0, "") and done.stdout == asked.stdout
    assert done.stdout.startswith("usage: python -m trnsci ") and "mp2" in done.stdout


def test_version():
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"trnsci {trnsci.__version__}\n", "")


def test_the_help_has_the_name_that_was_typed():
    script = "import sys; sys.argv[0] = '/usr/local/bin/trnsci'; from trnsci.__main__ import main; main(['--help'])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
    assert done.stdout.startswith("usage: trnsci ")


def test_unknown_words_are_still_refused():
    for arguments in (["bogus"], ["--bogus"], ["info", "bogus"]):
        done = run(*arguments)
        assert done.returncode == 2 and "bogus" in done.stderr


@pytest.fixture
def default_sigterm():
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(os.name != "posix", reason="there are no signals to send here")
def test_sigterm_during_a_command(default_sigterm, monkeypatch, capsys):
    monkeypatch.setattr(__main__, "info", lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert __main__.main(["info"]) == 143
    assert capsys.readouterr() == ("", "terminated\n")
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.skipif(os.name != "posix", reason="there are no signals to send here")
def test_a_second_sigterm_does_not_interrupt_the_end(default_sigterm):
    steps = []
    with pytest.raises(_termination.Terminated), _termination.terminable():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            steps.append("ended in order")
    assert steps


def test_handlers_of_others_stay(default_sigterm):
    def mine(number, frame):
        pass

    signal.signal(signal.SIGTERM, mine)
    with _termination.terminable():
        assert signal.getsignal(signal.SIGTERM) is mine
    seen = []

    def in_thread():
        with _termination.terminable():
            seen.append(signal.getsignal(signal.SIGTERM))

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    assert seen == [signal.SIG_DFL]


THREADS_PAGE = Path(__file__).parents[2] / "docs/threads.md"


@pytest.mark.skipif(os.name != "posix" or not THREADS_PAGE.exists(), reason="needs a checkout, and signals")
def test_programs_of_the_page_on_threads():
    text = THREADS_PAGE.read_text(encoding="utf-8")
    workers, handler = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    use = "import os; print(pool.submit(trnsci.get_num_threads).result(), flush=True); "
    use += "os.kill(os.getpid(), signal.SIGTERM)"
    environment = {**os.environ, "OMP_NUM_THREADS": "5", "TRNSCI_NUM_THREADS": ""}
    command = [sys.executable, "-c", "\n".join([workers, handler, use])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment)
    assert (done.returncode, done.stdout) == (143, "1\n"), done.stderr
