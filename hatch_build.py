"""The hook that makes hatchling build the extension and tag the wheel."""

import sys
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))
import gobuild


class GoExtension(BuildHookInterface):
    def initialize(self, version, build_data):
        gobuild.build()
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data.update(pure_python=False, tag=f"{gobuild.WHEEL_PYTHON_TAG}-abi3-{platform}")
