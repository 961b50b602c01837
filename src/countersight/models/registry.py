"""The registry of models: every model is named by one string and implements one small protocol."""

from typing import Final

from countersight.errors import ModelError
from countersight.models.protocol import Model, ModelSettings
from countersight.registry import Plug, Registry

_HOSTED: Final = {
    "endpoint:URL[,URL…]#MODEL": (
        "open_endpoint",
        "an OpenAI-compatible server, or several servers with the same model; key from COUNTERSIGHT_API_KEY, if needed",
    ),
    "openai:MODEL": ("open_compatible", "OpenAI, or the server at OPENAI_BASE_URL; key from OPENAI_API_KEY"),
    "anthropic:MODEL": ("open_anthropic", "Anthropic; key from ANTHROPIC_API_KEY"),
    "gemini:MODEL": ("open_gemini", "Google's Gemini; key from GEMINI_API_KEY"),
    "azure:DEPLOYMENT[?api-version=V]": (
        "open_azure",
        "Azure OpenAI at AZURE_OPENAI_ENDPOINT; key from AZURE_OPENAI_API_KEY",
    ),
    "bedrock:MODEL_ID[?region=R]": ("open_bedrock", "Amazon Bedrock; key from AWS_BEARER_TOKEN_BEDROCK"),
    "mistral:MODEL": ("open_compatible", "Mistral; key from MISTRAL_API_KEY"),
    "openrouter:MAKER/MODEL": ("open_compatible", "OpenRouter, with the cost it reports; key from OPENROUTER_API_KEY"),
    "ollama:MODEL": ("open_ollama", "Ollama on this machine, or at OLLAMA_HOST; no key"),
}
"""For each hosted model, the function of `providers.py` that opens it, and its description."""

MODELS: Registry[Model] = Registry(
    "model",
    {
        "embedded": Plug(
            "embedded[:factual]",
            "a small model that ships with Countersight and knows only the generated scenes of cvqa-synthetic; "
            "`embedded:factual` was trained without counterfactual questions",
            "countersight.models.embedded:open_embedded",
        ),
        "chance": Plug("chance", "answers at random", "countersight.models.baselines:Chance"),
        "always-first": Plug(
            "always-first",
            "always answers with the first option, yes, or 1",
            "countersight.models.baselines:AlwaysFirst",
        ),
        **{
            usage.partition(":")[0]: Plug(usage, words, f"countersight.models.providers:{opener}", "server")
            for usage, (opener, words) in _HOSTED.items()
        },
        "hf": Plug(
            "hf:NAME_OR_PATH",
            "a local model run by transformers, from a folder or downloaded before; run text-only models with "
            "--prompt text-only",
            "countersight.models.local:LocalModel",
        ),
        "vllm": Plug(
            "vllm:NAME_OR_PATH[?tensor_parallel_size=N]",
            "a local model run by vLLM, if installed; with options of vLLM, such as "
            "?tensor_parallel_size=2&max_model_len=8192&gpu_memory_utilization=0.8",
            "countersight.models.vllm_model:VllmModel",
        ),
        "matcher": Plug(
            "matcher:RUN[?features=DIR]",
            "a trained matcher (`countersight train matcher`); ranks options with --rank, otherwise names the best "
            "option",
            "countersight.models.matcher:open_matcher",
        ),
        "viper": Plug(
            "viper:CODE_MODEL?vision=TOOLS",
            "writes a Python program for each question and runs it in a sandbox; CODE_MODEL writes the program "
            "(reference, or any model), TOOLS answer its visual queries (scene, detector:PATH, or any model listed "
            "here)",
            "countersight.programs:open_programs",
            "either",
        ),
        "visprog": Plug(
            "visprog:CODE_MODEL?vision=TOOLS",
            "like viper:, but writes a program of simple steps; visprog:reference?vision=scene needs no downloads",
            "countersight.programs:open_programs",
            "either",
        ),
        "detections": Plug(
            "detections:MODEL?vision=detector:PATH",
            "a text-only language model that reads a list of the objects found by a detector",
            "countersight.programs:open_detections_model",
            "either",
        ),
    },
    ModelError,
    dict.fromkeys(("gpt-", "o1", "o3", "o4"), "openai:NAME")
    | {"claude-": "anthropic:NAME", "gemini-": "gemini:NAME"}
    | dict.fromkeys(("http://", "https://"), "endpoint:URL#MODEL"),
    "say where it runs: endpoint:http://HOST:PORT/v1#NAME (your own server), ollama:NAME, hf:NAME (on this machine, "
    "with transformers), openai:NAME or openrouter:NAME; all kinds are listed by: countersight list models",
)
"""All models, as printed by `countersight list models`. Add a model with one line here, or with an entry point."""


def open_here(name: str, settings: ModelSettings) -> Model:
    """Open the model with this name in this process."""
    model = MODELS.open(name, settings)
    for attribute in ("name", "settings", "needs_picture", "reply", "close"):
        if not hasattr(model, attribute):
            raise ModelError(f"{name} is not a model: it has no attribute {attribute!r}; see countersight.models.Model")
    return model
