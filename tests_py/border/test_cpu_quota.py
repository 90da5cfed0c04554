"""The initial number of threads: variables, affinity, and CPU quotas of control groups from made-up folders."""

import json
import os
import subprocess
import sys

import pytest
from trnsci._core import _cgroup, _threads

pytestmark = pytest.mark.serial

CPUS = 8
V2_MOUNT = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
V1_MOUNT = "33 25 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
HYBRID_MOUNT = "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
OTHER_MOUNT = "34 25 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
CPU_FOLDER = "sys/fs/cgroup/cpu,cpuacct"


def system(tmp_path, cgroup, mountinfo, files):
    """Make the files of a machine."""
    for name, text in {"proc/self/cgroup": cgroup, "proc/self/mountinfo": mountinfo, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def v2(tmp_path, group, quotas, mount=V2_MOUNT, where="sys/fs/cgroup"):
    """A machine with version 2, and what `cpu.max` has in some groups."""
    files = {f"{where}{name.rstrip('/')}/cpu.max": text for name, text in quotas.items()}
    return system(tmp_path, f"0::{group}\n", mount, files)


@pytest.mark.parametrize(
    ("group", "quotas", "expected"),
    [
        ("/", {}, None),  # the root group has no cpu.max
        ("/", {"/": "200000 100000\n"}, 2),  # in a container with a namespace of its own
        ("/", {"/": "max 100000\n"}, None),
        ("/a/b", {"/a/b": "max 100000\n", "/a": "50000 100000\n"}, 0.5),  # a limit above counts
        ("/a/b", {"/a/b": "300000 100000\n", "/a": "max 100000\n"}, 3),
        ("/a/b", {"/a/b": "400000 100000\n", "/a": "150000 100000\n"}, 1.5),
        ("/a/b", {"/a/b/c": "100000 100000\n"}, None),  # groups below do not
        ("/a/b", {"/other": "100000 100000\n"}, None),
        ("/a", {"/a": "1000 1000000\n"}, 0.001),
        ("/a", {"/a": "2500 10000"}, 0.25),  # no line end
        ("/../x", {"/": "200000 100000\n"}, 2),  # a group outside of the namespace
    ],
)
def test_version_2(tmp_path, group, quotas, expected):
    assert _cgroup.cpu_quota(v2(tmp_path, group, quotas)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "max",
        "100000",
        "-1 100000",
        "100000 0",
        "0 100000",
        "a b",
        "1e5 100000",
        "1 2 3",
        "\0",
        "²00 100",
        "9" * 5000 + " 100000",
        "9" * 5000 + " x",
    ],
)
def test_odd_files_are_no_quota(tmp_path, text):
    assert _cgroup.cpu_quota(v2(tmp_path, "/a", {"/a": text})) is None


@pytest.mark.parametrize(
    ("quota", "period", "expected"),
    [
        ("-1\n", "100000\n", None),
        ("250000\n", "100000\n", 2.5),
        ("50000", "100000", 0.5),
        ("", "100000", None),
        ("1000", "", None),
    ],
)
def test_version_1(tmp_path, quota, period, expected):
    files = {f"{CPU_FOLDER}/docker/x/cpu.cfs_quota_us": quota, f"{CPU_FOLDER}/docker/x/cpu.cfs_period_us": period}
    cgroup = "4:memory:/elsewhere\n3:cpu,cpuacct:/docker/x\n2:cpuset:/other\n"
    assert _cgroup.cpu_quota(system(tmp_path, cgroup, OTHER_MOUNT + V1_MOUNT, files)) == expected


def test_version_1_in_a_container_without_a_namespace(tmp_path):
    # The container's group is what is mounted, and the process has its path on the host.
    mount = V1_MOUNT.replace(" / /sys", " /docker/x /sys")
    files = {f"{CPU_FOLDER}/cpu.cfs_quota_us": "300000", f"{CPU_FOLDER}/cpu.cfs_period_us": "100000"}
    assert _cgroup.cpu_quota(system(tmp_path, "3:cpu,cpuacct:/docker/x\n", mount, files)) == 3
    assert (
        _cgroup.cpu_quota(system(tmp_path, "3:cpu,cpuacct:/kubepods/y\n", mount, files)) == 3
    )  # not below what is mounted
    below = {f"{CPU_FOLDER}/job/cpu.cfs_quota_us": "100000", f"{CPU_FOLDER}/job/cpu.cfs_period_us": "100000"}
    assert _cgroup.cpu_quota(system(tmp_path, "3:cpu,cpuacct:/docker/x/job\n", mount, below)) == 1


def test_both_versions(tmp_path):
    files = {f"{CPU_FOLDER}/j/cpu.cfs_quota_us": "300000", f"{CPU_FOLDER}/j/cpu.cfs_period_us": "100000"}
    files["sys/fs/cgroup/unified/u/cpu.max"] = "200000 100000"
    cgroup = "3:cpu,cpuacct:/j\n0::/u\n"
    assert _cgroup.cpu_quota(system(tmp_path, cgroup, V1_MOUNT + HYBRID_MOUNT, files)) == 2


def test_a_mount_with_a_blank_and_a_group_with_a_colon(tmp_path):
    mount = V2_MOUNT.replace("/sys/fs/cgroup", r"/sys/fs/c\040g")
    assert _cgroup.cpu_quota(v2(tmp_path, "/a:b", {"/a:b": "100000 100000"}, mount, "sys/fs/c g")) == 1


@pytest.mark.parametrize(
    "mountinfo",
    [
        "",
        "x\n",
        "30 23 0:26\n",
        "30 23 0:26 / /sys/fs/cgroup rw - \n",
        "- cgroup2\n",
        V2_MOUNT.replace("/sys", "//sys"),
    ],
)
@pytest.mark.parametrize("cgroup", ["", "0::\n", "0::/\n", "nonsense", "0:cpu\n", ":::/\n"])
def test_odd_systems(tmp_path, cgroup, mountinfo):
    assert _cgroup.cpu_quota(system(tmp_path, cgroup, mountinfo, {})) is None


def test_no_system(tmp_path):
    assert _cgroup.cpu_quota(tmp_path) is None


@pytest.mark.parametrize(
    ("quota", "expected"),
    [("150000", 2), ("100000", 1), ("1000", 1), ("800000", CPUS), ("799999", CPUS), ("700001", CPUS), ("700000", 7)],
)
def test_number_of_threads(tmp_path, quota, expected):
    threads, source = _threads._usable_cpus(CPUS, v2(tmp_path, "/a", {"/a": f"{quota} 100000"}))
    assert threads == expected
    assert source == (_threads._QUOTA if expected < CPUS else _threads._AFFINITY)


@pytest.mark.parametrize(
    ("env", "use", "expected"),
    [
        ({"TRNSCI_NUM_THREADS": "3", "OMP_NUM_THREADS": "5"}, "", (3, "TRNSCI_NUM_THREADS")),
        ({"TRNSCI_NUM_THREADS": "", "OMP_NUM_THREADS": "5,2"}, "", (5, "OMP_NUM_THREADS")),
        ({"TRNSCI_NUM_THREADS": "9" * 5000, "OMP_NUM_THREADS": "5"}, "", (5, "OMP_NUM_THREADS")),
        ({"OMP_NUM_THREADS": "5"}, "trnsci.set_num_threads(2)", (2, "set_num_threads")),
        ({"OMP_NUM_THREADS": "5"}, "block = trnsci.threads(4); block.__enter__()", (4, "threads()")),
    ],
)
def test_info_says_where_the_number_comes_from(env, use, expected):
    show = "facts = info(); print(json.dumps([facts['threads'], facts['threads from']]))"
    script = "\n".join(["import json, trnsci", "from trnsci._core._info import info", use, show])
    environment = {**os.environ, "TRNSCI_NUM_THREADS": "", **env}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert tuple(json.loads(done.stdout)) == expected
