"""The registry of picture editors: each is named by one string and implements one small protocol."""

from countersight.editing.protocol import Editor, EditorSettings
from countersight.errors import EditorError
from countersight.registry import Plug, Registry

EDITORS: Registry[Editor] = Registry(
    "editor",
    {
        "exact": Plug(
            "exact",
            "for generated scenes: changes the scene as instructed and redraws it",
            "countersight.editing.exact:open_exact",
        ),
        "classical": Plug(
            "classical[?OPTIONS]",
            "for photographs, with OpenCV under a mask; annotations=COCO.json or detector=FILE locate objects, "
            "segmenter=FOLDER outlines them",
            "countersight.editing.classical:open_classical",
        ),
        "inpaint": Plug(
            "inpaint:FILE.onnx[?OPTIONS]",
            "the same, but holes are filled by a network such as MI-GAN or LaMa",
            "countersight.editing.inpaint:open_inpaint",
        ),
        "flux": Plug(
            "flux:MODEL[?OPTIONS]",
            "Black Forest Labs: flux-2-pro, flux-kontext-max, or flux-pro-1.0-fill with a mask; key from BFL_API_KEY",
            "countersight.editing.flux:open_flux",
            "server",
        ),
        "chat-image": Plug(
            "chat-image:[URL#]MODEL",
            "a chat model that returns pictures: at OpenRouter (key from OPENROUTER_API_KEY) or at another server "
            "(key from COUNTERSIGHT_API_KEY, if needed)",
            "countersight.editing.hosted:open_chat_image",
            "server",
        ),
        "diffusers": Plug(
            "diffusers:FOLDER[?OPTIONS]",
            "a local diffusers pipeline: Kontext, Qwen-Image-Edit, FLUX.2, InstructPix2Pix; Fill and inpainting with "
            "a mask; steps=N, and annotations=COCO.json for masks",
            "countersight.editing.diffusion:open_diffusion",
        ),
    },
    EditorError,
)
"""The editors by name, as printed by `countersight list editors`. Add an editor here or with an entry point."""


def open_editor(name: str, settings: EditorSettings = EditorSettings()) -> Editor:  # noqa: B008 - frozen
    """Return the editor with this name, ready to edit."""
    return EDITORS.open(name, settings)
