"""Whatever changes a picture: every editor is named by one string and speaks one small protocol."""

from countersight.editing.protocol import (
    Action,
    Edited,
    EditFailed,
    Editor,
    EditorError,
    EditorSettings,
    EditRequest,
    Instruction,
)
from countersight.text import unknown

EDITORS = {
    "exact": "our own scenes: the instruction becomes a change of the scene, which is drawn again",
    "classical[:OPTIONS]": "photographs, by OpenCV under a mask; annotations=COCO.json tells what is where",
    "inpaint:FILE.onnx[?OPTIONS]": "the same, with holes filled by a network: MI-GAN's or LaMa's shape",
    "flux:MODEL[?OPTIONS]": "Black Forest Labs: flux-2-pro, flux-kontext-max, flux-pro-1.0-fill under a mask; key from "
    "BFL_API_KEY",
    "chat-image:MODEL": "a model at OpenRouter that answers with pictures; key from OPENROUTER_API_KEY",
    "chat-image:URL#MODEL": "the same at another server; key from COUNTERSIGHT_API_KEY if it needs one",
    "openai-edit:MODEL": "OpenAI's image edits, or the server at OPENAI_BASE_URL; key from OPENAI_API_KEY",
    "gemini:MODEL": "Google's models that answer with pictures; key from GEMINI_API_KEY",
    "diffusers:FOLDER[?OPTIONS]": "a pipeline computed here: Kontext, Qwen-Image-Edit, FLUX.2, InstructPix2Pix; Fill "
    "and inpainting under a mask; steps=N, and annotations=COCO.json for masks",
}
"""How editors are named, with a word on each; `countersight list editors` prints it."""


def open_editor(name: str, settings: EditorSettings = EditorSettings()) -> Editor:  # noqa: B008 - frozen
    """The editor of that name, ready to edit."""
    kind, _, rest = name.partition(":")
    if name == "exact":
        from countersight.editing.exact.editor import Exact

        return Exact()
    if kind == "classical":
        from countersight.editing.classical import open_classical

        return open_classical(name, rest)
    if kind == "inpaint" and rest:
        from countersight.editing.inpaint import open_inpaint

        return open_inpaint(name, rest)
    if rest and kind in ("flux", "chat-image", "openai-edit", "gemini"):
        return _open_hosted(name, kind, rest, settings)
    if kind == "diffusers" and rest:
        from countersight.editing.diffusion import open_diffusion

        return open_diffusion(name, rest)
    raise EditorError(unknown("editor", name, EDITORS))


def _open_hosted(name: str, kind: str, rest: str, settings: EditorSettings) -> Editor:
    if kind == "flux":
        from countersight.editing.flux import open_flux

        return open_flux(name, rest, settings)
    if kind == "chat-image":
        from countersight.editing.chat_image import open_chat_image

        return open_chat_image(name, rest, settings)
    if kind == "openai-edit":
        from countersight.editing.openai_edit import open_openai_edit

        return open_openai_edit(name, rest, settings)
    from countersight.editing.gemini import open_gemini

    return open_gemini(name, rest, settings)


__all__ = [
    "EDITORS",
    "Action",
    "EditFailed",
    "EditRequest",
    "Edited",
    "Editor",
    "EditorError",
    "EditorSettings",
    "Instruction",
    "open_editor",
]
