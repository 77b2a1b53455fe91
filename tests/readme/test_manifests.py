"""The Kubernetes manifests of the documentation are complete, and their commands have only existing options."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from distributed.cli import dask_scheduler, dask_worker

from anonset.data.storage.scheduler import CERTIFICATES
from anonset.settings.settings import settings_model

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "containers.md").read_text("utf-8")
MANIFESTS: list[dict[str, Any]] = list(yaml.safe_load_all(re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0]))
PODS = {
    f"{manifest['kind']} {manifest['metadata']['name']}": manifest["spec"]["template"]
    for manifest in MANIFESTS
    if "template" in manifest["spec"]
}


def container(pod: str) -> dict[str, Any]:
    return PODS[pod]["spec"]["containers"][0]


def command(pod: str) -> list[str]:
    return [*container(pod)["command"], *container(pod)["args"]]


def test_the_page_has_a_scheduler_workers_and_a_job() -> None:
    assert list(PODS) == ["Deployment anonset-scheduler", "Deployment anonset-workers", "Job anonset"]
    service = MANIFESTS[0]
    assert service["kind"] == "Service"
    assert service["spec"]["selector"] == PODS["Deployment anonset-scheduler"]["metadata"]["labels"]
    for manifest in MANIFESTS[1:3]:
        assert manifest["spec"]["selector"]["matchLabels"] == manifest["spec"]["template"]["metadata"]["labels"]


@pytest.mark.parametrize("pod", PODS)
def test_each_pod_has_its_volumes_and_a_user(pod: str) -> None:
    spec = PODS[pod]["spec"]
    mounted = {mount["name"] for mount in container(pod)["volumeMounts"]}
    assert mounted == {volume["name"] for volume in spec["volumes"]}
    assert all(isinstance(part, str) for part in command(pod))
    assert spec["securityContext"] == PODS["Job anonset"]["spec"]["securityContext"]
    tls = next(mount for mount in container(pod)["volumeMounts"] if mount["name"] == "tls")
    assert tls == {"name": "tls", "mountPath": "/tls", "readOnly": True}


@pytest.mark.parametrize(
    ("pod", "cli"),
    [("Deployment anonset-scheduler", dask_scheduler.main), ("Deployment anonset-workers", dask_worker.main)],
)
def test_dask_accepts_the_options(pod: str, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in CERTIFICATES:
        (tmp_path / name).touch()
    program, role, *options = command(pod)
    assert (program, role) == ("dask", "worker" if "workers" in pod else "scheduler")
    parsed = cli.make_context(role, [option.replace("/tls/", f"{tmp_path}/") for option in options]).params
    assert [Path(parsed[name]).name for name in ("tls_ca_file", "tls_cert", "tls_key")] == list(CERTIFICATES)
    assert parsed.get("port", 8786) in (8786, "8786")
    assert not parsed["dashboard"]


def test_the_job_connects_to_the_scheduler_and_uses_existing_settings() -> None:
    run = command("Job anonset")
    assert run[:2] == ["anonset", "anonymize"]
    options = {part.removeprefix("--").replace("-", "_") for part in run if part.startswith("--")}
    assert options - {"config", "log_format"} <= settings_model().model_fields.keys()
    port = MANIFESTS[0]["spec"]["ports"][0]["port"]
    address = f"tls://{MANIFESTS[0]['metadata']['name']}:{port}"
    assert run[run.index("--cluster") + 1] == address
    assert address in command("Deployment anonset-workers")


def test_workers_have_the_credentials_of_an_input_at_an_address() -> None:
    assert any(part.startswith("s3://") for part in container("Job anonset")["command"])
    assert container("Deployment anonset-workers")["envFrom"] == container("Job anonset")["envFrom"]
