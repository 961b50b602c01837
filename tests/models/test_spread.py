"""A model on a real Ray cluster: several nodes on this machine, each with processes of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running import answers, run_command, start_command

pytest.importorskip("ray")
pytestmark = pytest.mark.slow
STORE = 80 * 2**20


@pytest.fixture(scope="module")
def cluster():
    """A head that computes nothing, and two nodes."""
    from ray.cluster_utils import Cluster

    patch = pytest.MonkeyPatch()
    patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    patch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "src"))
    head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
    try:
        made = Cluster(initialize_head=True, head_node_args=head)
    except Exception as error:  # no shared memory, no ports: not ours to mend
        pytest.skip(f"Ray does not start here: {error}")
    try:
        for number in (2, 3):
            add_node(made, number)
        yield made
    finally:
        made.shutdown()
        patch.undo()


def add_node(cluster, number):
    return cluster.add_node(num_cpus=1, object_store_memory=STORE, node_ip_address=f"127.0.0.{number}")


def kill_node(cluster, node):
    """As if the plug was pulled: the node's daemon and every process it has started."""
    daemon = node.all_processes["raylet"][0].process.pid
    for process in [*children(daemon), daemon]:
        os.kill(process, signal.SIGKILL)
    cluster.remove_node(node, allow_graceful=False)


def children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found += [child, *children(child)]
    return found


@pytest.fixture(scope="module")
def flowers(tmp_path_factory):
    from countersight import make

    folder = tmp_path_factory.mktemp("spread") / "flowers"
    make("cvqa-synthetic", folder, size=60, seed=3)
    return folder


@pytest.fixture(scope="module")
def alone(flowers):
    """What the model says on one machine."""
    run = flowers.with_name("alone")
    done = run_command(flowers, run, "embedded")
    assert done.returncode == 0, done.stderr
    return answers(run)


def test_machines_that_go_down_lose_nothing(cluster, flowers, alone, tmp_path) -> None:
    run = tmp_path / "run"
    nodes = {node.node_ip_address: node for node in cluster.list_all_nodes()}
    process = start_command(flowers, run, "embedded", "--ray", cluster.address, "--concurrency", "2")
    written(run, 10, process)
    kill_node(cluster, nodes["127.0.0.2"])
    add_node(cluster, 4)
    written(run, 40, process)
    kill_node(cluster, nodes["127.0.0.3"])  # only the third is left, so at least two have answered
    _, said = process.communicate(timeout=200)
    assert process.returncode == 0, said
    assert answers(run) == alone
    by_machine = json.loads((run / "run.json").read_text())["observed"]["ray"]["answers"]
    assert len(by_machine) >= 2
    assert sum(by_machine.values()) == len(alone)


def written(run, lines, process):
    """Wait until a run has so many answers."""
    while process.poll() is None:
        if (run / "replies.jsonl").exists() and (run / "replies.jsonl").read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.01)
    raise AssertionError(process.communicate()[1])


def test_ctrl_c_leaves_no_actor_and_the_run_goes_on_without_the_cluster(cluster, flowers, alone, tmp_path) -> None:
    run = tmp_path / "run"
    process = start_command(flowers, run, "embedded", "--ray", cluster.address, "--concurrency", "1", group=True)
    written(run, 5, process)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=100)
    assert process.returncode == 130, said
    assert living_actors(cluster) == []
    assert 5 <= len(answers(run)) < len(alone)
    done = run_command(flowers, run, "embedded")
    assert done.returncode == 0, done.stderr
    assert answers(run) == alone


def living_actors(cluster):
    code = (
        "import ray, sys, json; "
        "ray.init(address=sys.argv[1], logging_level='ERROR', log_to_driver=False); "
        "from ray._private.state import actors; "
        "print(json.dumps([a['State'] for a in actors().values() if a['State'] == 'ALIVE']))"
    )
    found = subprocess.run([sys.executable, "-c", code, cluster.address], capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


def test_a_cluster_that_is_not_there_and_a_server_get_a_sentence(flowers, tmp_path) -> None:
    done = run_command(flowers, tmp_path / "run", "embedded", "--ray", "127.0.0.1:1")
    assert done.returncode == 2
    assert "no Ray cluster can be joined at '127.0.0.1:1'" in done.stderr
    assert "Traceback" not in done.stderr
    done = run_command(flowers, tmp_path / "run", "endpoint:http://127.0.0.1:1/v1#m", "--ray", "auto")
    assert done.returncode == 2
    assert "--ray is for models computed here" in done.stderr
