"""OpenSSH signatures of a bundle, and time stamps."""

import re
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from evidence import write_audit
from hypothesis import given
from hypothesis import strategies as st
from insider import findings, resealed, reviewed

from countersight.audits.finishing import finish
from countersight.audits.signing import read_allowed_signers, signer, why_refused
from countersight.audits.signing import sign as signature
from countersight.audits.time_stamps import read_authorities, read_stamp
from countersight.audits.verifying import Trust, verify_bundle
from countersight.cli import main
from countersight.errors import AuditError

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")


def private_key(path, *options):
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "somebody", *options, "-f", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    folder = write_audit(tmp_path_factory.mktemp("signed") / "seer", ["consistent"])
    finish(folder)
    return folder


@pytest.fixture
def audit(untouched, tmp_path):
    return shutil.copytree(untouched, tmp_path / "seer")


@pytest.fixture
def key(tmp_path):
    return private_key(tmp_path / "key")


def sign(audit, key, *more):
    return main(["audit", "sign", str(audit), "--key", str(key), *more])


def told(audit, capsys, *more):
    capsys.readouterr()
    code = main(["audit", "verify", str(audit), *more])
    return code, capsys.readouterr().out


def test_a_signature_is_accepted_with_the_given_key(audit, key, capsys):
    assert sign(audit, key) == 0
    code, words = told(audit, capsys, "--key", str(key.with_suffix(".pub")))
    assert code == 0
    assert "a given key" in words
    assert "It is not signed" not in words
    code, words = told(audit, capsys)
    assert code == 0
    assert "its key is unknown; name the trusted key" in words


def test_a_second_signature_is_stored_next_to_the_first(audit, key, capsys, tmp_path):
    other = private_key(tmp_path / "other")
    sign(audit, key)
    first = (audit / "bundle.json.sig").read_bytes()
    sign(audit, other)
    sign(audit, other)
    assert (audit / "bundle.json.sig").read_bytes() == first
    assert len(list(audit.glob("bundle.json*.sig"))) == 2
    for one in (key, other):
        code, words = told(audit, capsys, "--key", str(one.with_suffix(".pub")))
        assert code == 0
        assert words.count("Signed with") == 2


def test_a_signature_of_an_earlier_seal_is_not_overwritten(audit, key, tmp_path, capsys):
    sign(audit, key)
    reviewed(audit)
    finish(audit)
    assert sign(audit, private_key(tmp_path / "other")) == 2
    told = capsys.readouterr().err
    assert "is not a signature of this file (it signs something else, or was altered); remove it before" in told


def test_a_new_seal_does_not_match_the_old_signature(audit, key, capsys):
    sign(audit, key)
    reviewed(audit)
    resealed(audit)
    assert findings(audit) == ["broken: bundle.json.sig (it signs something else, or was altered)"]


@pytest.mark.parametrize(
    "junk", [b"", b"signed", b"-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"]
)
def test_invalid_signatures_are_rejected(audit, junk):
    (audit / "bundle.json.sig").write_bytes(junk)
    (finding,) = findings(audit)
    assert finding.startswith("broken: bundle.json.sig (it is not an OpenSSH signature")


def test_altered_signatures_are_rejected(key):
    whole = signature(b"message", key)
    assert signer(b"message", whole).startswith("SHA256:")
    for at in range(30, len(whole) - 30, 93):
        with pytest.raises(AuditError):
            signer(b"message", whole[:at] + (b"A" if whole[at : at + 1] != b"A" else b"B") + whole[at + 1 :])
    with pytest.raises(AuditError, match="signs something else"):
        signer(b"another", whole)


def test_signatures_made_by_openssh_are_accepted(audit, key):
    give = ["ssh-keygen", "-Y", "sign", "-f", key, "-n", "countersight", audit / "bundle.json"]
    subprocess.run(give, capture_output=True, timeout=30, check=True)
    found = verify_bundle(audit, trust=Trust(read_allowed_signers([str(key.with_suffix(".pub"))])))
    assert found.sound
    assert not found.signed[0].refused


def test_unusable_keys_are_refused_with_instructions(audit, tmp_path, capsys):
    lock_folder = private_key(tmp_path / "locked", "-N", "secret")
    assert sign(audit, lock_folder) == 2
    assert "incorrect passphrase" in capsys.readouterr().err
    assert sign(audit, tmp_path / "none") == 2
    assert "make a key with: ssh-keygen" in capsys.readouterr().err
    (tmp_path / "junk").write_text("junk")
    assert sign(audit, tmp_path / "junk") == 2
    assert main(["audit", "verify", str(audit), "--key", str(tmp_path / "junk")]) == 2
    assert "has no OpenSSH public key" in capsys.readouterr().err


# ---- time stamps ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stamps(tmp_path_factory):
    """Run a local time stamp server with OpenSSL."""
    if shutil.which("openssl") is None:
        pytest.skip("OpenSSL is not installed")
    base = tmp_path_factory.mktemp("tsa")
    config = base / "tsa.cnf"
    config.write_text(
        "[req]\ndistinguished_name=dn\nx509_extensions=ext\nprompt=no\n[dn]\nCN=Test time\n"
        "[ext]\nextendedKeyUsage=critical,timeStamping\n"
        f"[tsa]\ndefault_tsa=t\n[t]\nserial={base}/serial\nsigner_cert={base}/cert.pem\nsigner_key={base}/key.pem\n"
        "signer_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256\naccuracy=secs:1\n"
    )
    (base / "serial").write_text("01")
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-config", config]
    subprocess.run([*new, "-keyout", base / "key.pem", "-out", base / "cert.pem"], capture_output=True, check=True)

    class Server(BaseHTTPRequestHandler):
        def do_POST(self):
            (base / "q").write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
            reply = ["openssl", "ts", "-reply", "-config", config, "-queryfile", base / "q", "-out", base / "r"]
            subprocess.run(reply, capture_output=True, check=True, timeout=30)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"junk" if self.path == "/junk" else (base / "r").read_bytes())

        def log_message(self, *words):
            pass

    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", base / "cert.pem"
    server.shutdown()
    server.server_close()


def test_a_time_stamp_server_stamps_the_seal(audit, key, stamps, capsys):
    server, certificate = stamps
    assert sign(audit, key, "--timestamp", server) == 0
    code, words = told(audit, capsys)
    assert code == 0
    assert "Not checked: bundle.json.tsr (its time is 20" in words
    code, words = told(audit, capsys, "--timestamp-ca", str(certificate))
    assert (code, "Stamped at 20" in words) == (0, True)
    check = ["openssl", "ts", "-verify", "-in", audit / "bundle.json.tsr", "-data", audit / "bundle.json"]
    checked = subprocess.run([*check, "-CAfile", certificate], capture_output=True, timeout=30, check=False)
    assert checked.returncode == 0, checked.stderr
    assert sign(audit, key, "--timestamp", server) == 2
    assert "already has a time stamp" in capsys.readouterr().err
    stamp, seal = (audit / "bundle.json.tsr").read_bytes(), (audit / "bundle.json").read_bytes()
    for at in range(0, len(stamp), 97):
        with pytest.raises(AuditError):
            read_stamp(stamp[:at], seal)
    with pytest.raises(AuditError, match="it belongs to another file"):
        read_stamp(stamp, b"another")
    last = re.search(rb"20\d{11}(\d)Z", stamp)
    another = b"7" if last[1] != b"7" else b"8"
    with pytest.raises(AuditError, match="not signed by a server of the given"):
        read_stamp(stamp[: last.start(1)] + another + stamp[last.end(1) :], seal, read_authorities(certificate))


def test_a_server_without_a_usable_time_stamp_is_reported(audit, key, stamps, capsys):
    assert sign(audit, key, "--timestamp", f"{stamps[0]}/junk") == 2
    assert "returned an unusable time stamp" in capsys.readouterr().err
    assert not (audit / "bundle.json.tsr").exists()
    assert sign(audit, key, "--timestamp", "ftp://127.0.0.1/") == 2
    assert sign(audit, key, "--timestamp", "http://127.0.0.1:9/") == 2


@given(st.binary(max_size=200))
def test_invalid_time_stamps_are_refused(data):
    with pytest.raises(AuditError):
        read_stamp(data, b"seal")


# ---- signs that steer -----------------------------------------------------------------------------------------------


def test_control_characters_are_displayed_not_executed(tmp_path):
    folder = write_audit(tmp_path / "a", ["no picture", "consistent"], words="a\x1b[2J\u202eevil\u2066")
    finish(folder)
    page = (folder / "report.html").read_text()
    assert not set(page) & set("\x1b\u202e\u2066")
    assert "\N{SYMBOL FOR ESCAPE}[2J\ufffdevil\ufffd" in page


@pytest.mark.parametrize(
    ("options", "identity", "why"),
    [
        ("", "", ""),
        ("", "auditor@example.org", ""),
        ("", "operator@example.net", "its key belongs to auditor@*.org, not to operator@example.net"),
        ('namespaces="countersight" ', "auditor@example.org", ""),
        ('namespaces="git,file" ', "auditor@example.org", 'is not permitted for use in signature namespace "countersi'),
        ('valid-before="20200101" ', "auditor@example.org", "its key has expired: verify time "),
        ('valid-after="20990101" ', "auditor@example.org", "its key is not yet valid: verify time "),
        ('valid-after="202001010000",namespaces="c?untersight" ', "auditor@example.org", ""),
        ("cert-authority ", "auditor@example.org", "its key is not one of the given keys"),
    ],
)
def test_allowed_signers_are_interpreted_as_by_ssh_keygen(key, tmp_path, options, identity, why):
    (tmp_path / "message.sig").write_bytes(signature(b"sealed", key))
    allowed = tmp_path / "allowed"
    allowed.write_text(f"auditor@*.org {options}" + key.with_suffix(".pub").read_text())
    named = identity or "auditor@example.org"
    command = ["ssh-keygen", "-Y", "verify", "-f", allowed, "-I", named, "-n", "countersight", "-s"]
    command = [*map(str, command), str(tmp_path / "message.sig")]
    theirs = subprocess.run(command, input=b"sealed", capture_output=True, check=False).returncode == 0
    signers = read_allowed_signers([str(allowed)], identity=identity)
    ours = why_refused(b"sealed", (tmp_path / "message.sig").read_bytes(), signers)
    assert (bool(ours), why in ours) == (not theirs, True), ours


def test_a_refused_signature_says_why(audit, key, tmp_path, capsys):
    sign(audit, key)
    public = key.with_suffix(".pub")
    expired = tmp_path / "expired"
    expired.write_text('auditor valid-before="20200101" ' + public.read_text())
    for options, why in (
        (["--key", str(public), "--revoked", str(public)], "its key was revoked"),
        (["--key", str(expired)], "its key has expired: verify time "),
        (["--key", str(private_key(tmp_path / "other").with_suffix(".pub"))], "its key is not one of the given keys"),
    ):
        code, words = told(audit, capsys, *options)
        assert code == 1
        assert f"no given key that is valid now has signed the seal: bundle.json.sig: {why}" in words
        assert "is NOT SIGNED as required: 1 finding" in words
    give = ["ssh-keygen", "-Y", "sign", "-f", key, "-n", "file", audit / "bundle.json"]
    (audit / "bundle.json.sig").unlink()
    subprocess.run(give, capture_output=True, timeout=30, check=True)
    code, words = told(audit, capsys, "--key", str(public))
    assert (code, "it was made for another purpose than 'countersight', its namespace" in words) == (1, True)
