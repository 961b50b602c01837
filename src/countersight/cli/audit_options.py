"""Options that the verbs of an audit share, and the settings they make."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from countersight.cli.parsing import Verbs, add_local, add_ray, positive, price, seconds, temperature

if TYPE_CHECKING:
    from countersight.audits.judges import Pool
    from countersight.models import ModelSettings

SEVERAL_VOTES = 0.7
"""Temperature of judges who vote more than once: at 0 a vote would say little that the one before did not."""


def further(
    verbs: Verbs, name: str, call: Callable[[argparse.Namespace], int], summary: str, example: str
) -> argparse.ArgumentParser:
    """A verb behind `audit`; the list of verbs names `audit` alone."""
    parser = verbs.add_parser(
        f"audit {name}", prog=f"countersight audit {name}", description=summary, epilog=f"Example: {example}"
    )
    parser.set_defaults(call=call)
    return parser


def add_bundling(parser: argparse.ArgumentParser) -> None:
    """How the page and the papers of an audit are written."""
    parser.add_argument("--against", type=Path, metavar="DIR", help="an earlier audit, to tell what has changed since")
    parser.add_argument("--gallery", type=positive, default=200, metavar="N", help="cases on its page (default: 200)")
    add_zip(parser)


def add_zip(parser: argparse.ArgumentParser) -> None:
    """The bundle in one file."""
    parser.add_argument("--zip", type=Path, metavar="FILE", help="also put the bundle into one ZIP, always the same")


def add_judging(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Who judges, and how."""
    parser.add_argument(
        "--judge",
        action="append",
        required=required,
        metavar="J",
        help="exact, rules, or a language model; may be given several times: see: countersight list judges",
    )
    parser.add_argument("--votes", type=positive, default=1, metavar="N", help="of each judge that is a model")
    parser.add_argument(
        "--pool",
        choices=["majority", "mean"],
        default="majority",
        help="votes, then judges (default: majority; a tie counts half)",
    )
    parser.add_argument(
        "--prompts",
        metavar="P",
        help="edct, brief, a .toml file of your own, or paper: the paper's, which you copy into paper.toml",
    )


def add_model(parser: argparse.ArgumentParser) -> None:
    """How the model under audit is asked."""
    parser.add_argument(
        "--max-tokens", type=positive, default=2048, metavar="N", help="longest answer or reason (default: 2048)"
    )
    parser.add_argument("--temperature", type=temperature, default=0.0, metavar="T", help="of the model (default: 0)")
    parser.add_argument("--detail", default="auto", choices=["auto", "low", "high"], help="how closely to look")
    parser.add_argument(
        "--price", type=price, default=(0.0, 0.0), metavar="IN,OUT", help="of the model, for a million tokens"
    )
    add_local(parser)


def add_asking(parser: argparse.ArgumentParser) -> None:
    """How hard to try, and by which chance."""
    parser.add_argument(
        "--seed", type=int, default=0, help="for what is drawn by chance, here, by a server or an editor (default: 0)"
    )
    parser.add_argument(
        "--judge-temperature",
        type=temperature,
        default=argparse.SUPPRESS,  # None would mean: leave it to the server
        metavar="T",
        help=f"of the judges (default: 0 for one vote, {SEVERAL_VOTES} for several)",
    )
    parser.add_argument(
        "--concurrency", type=positive, default=64, metavar="N", help="most cases under way (default: 64)"
    )
    parser.add_argument("--attempts", type=positive, default=5, metavar="N", help="tries for a step (default: 5)")
    parser.add_argument(
        "--timeout", type=seconds, default=180.0, metavar="S", help="seconds for one try (default: 180)"
    )
    parser.add_argument(
        "--judge-price", type=price, default=(0.0, 0.0), metavar="IN,OUT", help="of extractor and judges alike"
    )
    add_ray(parser, "models that are computed here (hf:…) on all GPUs of")


def target(chosen: argparse.Namespace) -> "ModelSettings":
    """How the model under audit is asked."""
    from countersight.models import ModelSettings

    price_in, price_out = chosen.price
    return ModelSettings(
        seed=chosen.seed,
        max_tokens=chosen.max_tokens,
        temperature=chosen.temperature,
        detail=chosen.detail,
        timeout=chosen.timeout,
        price_in=price_in,
        price_out=price_out,
        device=chosen.device,
        dtype=chosen.dtype,
        device_map=chosen.device_map,
        batch=chosen.batch_size,
        ray=chosen.ray,
    )


def helper(chosen: argparse.Namespace, heat: float | None) -> "ModelSettings":
    """How extractor and judges are asked: they may reason before they write their JSON."""
    from countersight.models import ModelSettings

    price_in, price_out = chosen.judge_price
    return ModelSettings(
        seed=chosen.seed,
        max_tokens=2048,
        temperature=heat,
        timeout=chosen.timeout,
        price_in=price_in,
        price_out=price_out,
        ray=chosen.ray,
    )


def pooling(chosen: argparse.Namespace) -> "Pool":
    """How votes become one score."""
    from countersight.audits.judges import HALVES

    return HALVES if chosen.pool == "majority" else "mean"


def judging(chosen: argparse.Namespace) -> float | None:
    """The temperature of judges; None leaves it to their server."""
    usual = SEVERAL_VOTES if chosen.votes > 1 else 0.0
    given: float | None = getattr(chosen, "judge_temperature", usual)
    return given
