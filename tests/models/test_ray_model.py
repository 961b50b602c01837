"""A model on a real Ray cluster: several nodes on this machine, each with its own processes."""

import json
import os
import shutil
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
from running import answers, run_command, start_command
from waiting import wait_until

pytest.importorskip("ray")
STORE = 80 * 2**20
ADDRESSES = count(2)


@pytest.fixture(scope="module")
def cluster():
    """A head node without CPUs; `workers` has the nodes that compute."""
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
        yield made
    finally:
        made.shutdown()
        patch.undo()


@pytest.fixture
def workers(cluster):
    """Two nodes that compute; nodes killed by earlier tests are replaced."""
    living = [node for node in cluster.list_all_nodes() if node is not cluster.head_node]
    return living + [add_node(cluster) for _ in range(2 - len(living))]


def add_node(cluster):
    return cluster.add_node(num_cpus=1, object_store_memory=STORE, node_ip_address=f"127.0.0.{next(ADDRESSES)}")


def kill_node(cluster, node):
    """Kill the node's daemon and every process that it has started."""
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
    """The model's answers on one machine."""
    run = flowers.with_name("alone")
    done = run_command(flowers, run, "embedded", here=False)
    assert done.returncode == 0, done.stderr
    return answers(run)


@pytest.fixture
def watched():
    """Kill processes that a failed test left running, since they would occupy the nodes."""
    processes = []

    def watch(process):
        processes.append(process)
        return process

    yield watch
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_lost_machines_lose_no_answers(cluster, workers, watched, flowers, alone, tmp_path) -> None:
    run = tmp_path / "run"
    process = watched(start_command(flowers, run, "embedded", "--ray", cluster.address, "--concurrency", "2"))
    written(run, 10, process)
    kill_node(cluster, workers[0])
    add_node(cluster)
    written(run, 40, process)
    kill_node(cluster, workers[1])  # only the third is left, so at least two have answered
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said
    assert answers(run) == alone
    by_machine = json.loads((run / "run.json").read_text())["observed"]["ray"]["answers"]
    assert len(by_machine) >= 2
    assert sum(by_machine.values()) == len(alone)


def written(run, lines, process):
    """Wait until a run has this many answers."""
    journal = run / "replies.jsonl"
    wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= lines, process)


@pytest.mark.slow
def test_an_interrupted_run_leaves_no_actor_and_continues_without_the_cluster(
    cluster, watched, flowers, alone, tmp_path
) -> None:
    run = tmp_path / "run"
    asking = (flowers, run, "embedded", "--ray", cluster.address, "--concurrency", "1")
    process = watched(start_command(*asking, group=True))
    written(run, 5, process)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 130, said
    wait_until(lambda: living_actors(cluster) == [])  # the cluster hears of their end a little later
    assert 5 <= len(answers(run)) < len(alone)
    done = run_command(flowers, run, "embedded", here=False)
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


@pytest.mark.slow
def test_a_missing_cluster_is_reported(flowers, tmp_path) -> None:
    done = run_command(flowers, tmp_path / "run", "embedded", "--ray", "127.0.0.1:1", here=False)
    assert done.returncode == 2
    assert "cannot connect to a Ray cluster at '127.0.0.1:1'" in done.stderr
    assert "Traceback" not in done.stderr
    done = run_command(flowers, tmp_path / "run", "endpoint:http://127.0.0.1:1/v1#m", "--ray", "auto", here=False)
    assert done.returncode == 2
    assert "--ray works only with local models" in done.stderr


@pytest.mark.slow
def test_an_audit_started_locally_continues_on_a_cluster_with_the_same_result(
    cluster, workers, flowers, tmp_path
) -> None:
    auditing = ["audit", flowers, "--model", "embedded", "--extractor", "rules", "--editor", "exact", "--limit", "2"]
    auditing += ["--judge", "exact", "--checker", "pixels", "--checker", "embedded:factual"]  # two models, one pool
    here, there = tmp_path / "here", tmp_path / "there"
    done(*auditing, "-o", here)
    shutil.copytree(here, there)
    log = there / "steps.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:5]))
    done(*auditing, "--ray", cluster.address, "-o", there)
    assert (there / "scores.json").read_bytes() == (here / "scores.json").read_bytes()
    wait_until(lambda: living_actors(cluster) == [])


def command(*words):
    return [sys.executable, "-m", "countersight", *map(str, words)]


def done(*words):
    """Run a command that must succeed."""
    said = subprocess.run(command(*words), capture_output=True, text=True, timeout=600, check=False)
    assert said.returncode == 0, said.stderr
