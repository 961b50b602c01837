"""Ask the same questions through inspect-ai: `python -m benchmarks.inspect_task DATASET URL CONCURRENCY LOGS`."""

import base64
import json
import os
import sys
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import match
from inspect_ai.solver import generate


def samples(dataset: Path) -> list[Sample]:
    made = []
    for line in (dataset / "metadata.jsonl").read_text().splitlines():
        case = json.loads(line)
        data = base64.b64encode((dataset / case["file_name"]).read_bytes()).decode()
        for world in ("factual", "counterfactual"):
            question = case[f"{world}_question"]
            options = "\n".join(f"{chr(65 + i)}: {option['text']}" for i, option in enumerate(question["options"]))
            text = f"{question['text']}\n{options}\nAnswer with the letter of the right option."
            content = [ContentImage(image=f"data:image/png;base64,{data}"), ContentText(text=text)]
            made.append(
                Sample(id=f"{case['id']}/{world}", input=[ChatMessageUser(content=content)], target=question["answer"])
            )
    return made


if __name__ == "__main__":
    folder, url, concurrency, logs = sys.argv[1:]
    os.environ["OPENAI_API_KEY"] = "none"
    os.environ["OPENAI_BASE_URL"] = url
    [log] = eval(
        Task(dataset=samples(Path(folder)), solver=generate(), scorer=match()),
        model="openai/nothing",
        model_args={"responses_api": False},
        max_connections=int(concurrency),
        max_samples=int(concurrency) * 2,
        log_dir=logs,
        display="none",
        log_images=False,
    )
    assert log.status == "success", log.error
