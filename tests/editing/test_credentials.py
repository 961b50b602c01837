"""Content credentials on edited pictures, with a chain of certificates that is made here."""

import datetime
import io
import json

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from PIL import Image

from countersight.editing import Credentials
from countersight.errors import CountersightError
from countersight.picture import as_seen, check_picture

c2pa = pytest.importorskip("c2pa", reason="the extra c2pa is not installed")


def named(words):
    return x509.Name([x509.NameAttribute(kind, words) for kind in (NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME)])


def certificate(subject, key, issuer, by, *, root):
    now = datetime.datetime.now(datetime.UTC)
    may = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only"), False
    )
    usage = x509.KeyUsage(digital_signature=not root, key_cert_sign=root, crl_sign=root, decipher_only=False, **may)
    made = (
        x509.CertificateBuilder(named(issuer), named(subject), key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=root, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key()), critical=False)
    )
    if not root:
        made = made.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.EMAIL_PROTECTION]), critical=False)
    return made.sign(by, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("certificate")
    root, leaf = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    chain = certificate("leaf", leaf, "root", root, root=False) + certificate("root", root, "root", root, root=True)
    (place / "chain.pem").write_bytes(chain)
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (place / "key.pem").write_bytes(leaf.private_bytes(*form))
    return place


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_an_edited_picture_carries_credentials_and_the_same_pixels(folder, form):
    file = io.BytesIO()
    Image.effect_noise((64, 48), 30).convert("RGB").save(file, form)
    picture = check_picture(file.getvalue())
    signed = Credentials(folder).sign(picture)
    assert as_seen(check_picture(signed.data)).tobytes() == as_seen(picture).tobytes()
    told = json.loads(c2pa.Reader(picture.mime, io.BytesIO(signed.data)).json())
    assert told["validation_state"] == "Valid"
    assert told["manifests"][told["active_manifest"]]["title"] == "countersight: edited for test"
    assert len(signed.data) < len(picture.data) + 30_000


def test_a_folder_without_a_certificate_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(CountersightError, match=r"chain\.pem cannot be read"):
        Credentials(tmp_path)
    (tmp_path / "chain.pem").write_bytes(b"no certificate")
    (tmp_path / "key.pem").write_bytes(b"no key")
    with pytest.raises(CountersightError, match="contains no certificate that can sign"):
        Credentials(tmp_path)
