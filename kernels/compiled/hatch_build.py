"""Compile all kernels of the installed anonset for a generic processor, and pack the machine code as a wheel."""

import os
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_PYTHON = sys.version_info[:2]


class CompiledMetadata(MetadataHookInterface):
    """The machine code belongs to one version of anonset, Numba and Python."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the version of anonset, and require exactly the versions that compiled the kernels."""
        metadata["version"] = version("anonset")
        metadata["dependencies"] = [f"{name}=={version(name)}" for name in ("anonset", "llvmlite", "numba")]
        metadata["requires-python"] = f"=={_PYTHON[0]}.{_PYTHON[1]}.*"


class CompiledKernels(BuildHookInterface[Any]):
    """Compile the kernels into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the kernels, and add their cache folder to the wheel as the package ``anonset_compiled``."""
        folder = Path(self.directory).resolve() / "anonset_compiled"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").write_text('"""Machine code of the kernels of anonset."""\n')
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "NUMBA_CPU_NAME": "generic"}
        subprocess.run([sys.executable, "-m", "anonset", "warmup", "--quiet"], env=environment, check=True)
        system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        tag = "cp{}{}".format(*_PYTHON)
        build_data.update(pure_python=False, tag=f"{tag}-{tag}-{system.replace('linux_', 'manylinux_2_17_')}")
        build_data["force_include"][str(folder)] = "anonset_compiled"
