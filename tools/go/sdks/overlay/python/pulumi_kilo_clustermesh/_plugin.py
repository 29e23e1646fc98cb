"""Says what to run where the plugin is missing: the engine names a command that does not find it."""

import os
import shutil

import pulumi
from pulumi.runtime.proto import engine_pb2_grpc
from pulumi.runtime.settings import get_engine

from . import _utilities

_NAME = "kilo-clustermesh"


def _is_missing(version: str) -> bool:
    home = os.environ.get("PULUMI_HOME") or os.path.join(os.path.expanduser("~"), ".pulumi")
    installed = os.path.join(home, "plugins", f"resource-{_NAME}-v{version}")
    return not os.path.isdir(installed) and shutil.which(f"pulumi-resource-{_NAME}") is None


def _say_what_to_run() -> None:
    # With an address the engine downloads it; without an engine, in tests with mocks, nobody needs it.
    if _utilities.get_plugin_download_url() or not isinstance(get_engine(), engine_pb2_grpc.EngineStub):
        return
    version = _utilities.get_version()
    if _is_missing(version):
        pulumi.log.warn(
            f"the plugin {_NAME} {version} is neither installed nor on PATH. If it cannot be loaded, run: "
            f"npx --package pulumi-{_NAME}@{version} {_NAME} plugin install"
        )


_say_what_to_run()
