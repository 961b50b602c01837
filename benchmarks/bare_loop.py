"""A minimal loop in Python, as a baseline: read the rows, send the pictures, keep the answers in a list.

`python -m benchmarks.bare_loop DATASET URL CONCURRENCY`. It has no retries, no journal, no progress, no checks.
"""

import asyncio
import base64
import json
import sys
from pathlib import Path

import aiohttp


async def main(dataset: Path, url: str, concurrency: int) -> None:
    answers = []

    def questions():
        for line in (dataset / "metadata.jsonl").read_text().splitlines():
            case = json.loads(line)
            data = base64.b64encode((dataset / case["file_name"]).read_bytes()).decode()
            for world in ("factual", "counterfactual"):
                question = case[f"{world}_question"]
                options = "\n".join(f"{chr(65 + i)}: {option['text']}" for i, option in enumerate(question["options"]))
                yield data, f"{question['text']}\n{options}\nAnswer with the letter of the right option."

    waiting = questions()

    async def work(session: aiohttp.ClientSession) -> None:
        for data, text in waiting:
            image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
            content = [image, {"type": "text", "text": text}]
            body = {"model": "nothing", "temperature": 0, "messages": [{"role": "user", "content": content}]}
            async with session.post(url + "/chat/completions", json=body) as response:
                answers.append((await response.json())["choices"][0]["message"]["content"])

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(work(session) for _ in range(concurrency)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
