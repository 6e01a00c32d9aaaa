"""Whether a file is the one that somebody signed: Ed25519, the signature in `FILE.sig` beside it.

As OpenSSL makes them: `openssl genpkey -algorithm ed25519 -out key.pem`, `openssl pkey -in key.pem -pubout -out key.pub`, and
`openssl pkeyutl -sign -rawin -inkey key.pem -in FILE -out FILE.sig`. The only module that imports cryptography.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted

SIGNATURE = 64
"""Bytes of a signature."""
INSTALL = 'install it with `pip install "toolplan[signatures]"`'


def signed_text(path: Path, key: Path) -> str:
    """The text of `path`, which the holder of the public `key` (PEM) has signed.

    What is returned is what was verified: the file is read once. Raises DomainError where the signature is missing, or is of another text or
    by another key, and where the key or cryptography itself is missing.
    """
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    except ImportError:
        raise _refused("the package cryptography is not installed, and signatures are verified with it", INSTALL) from None
    signature_path = path.parent / f"{path.name}.sig"
    data, signature = _bytes(path), _raw(_bytes(signature_path))
    try:
        public = load_pem_public_key(_bytes(key))
    except ValueError:
        public = None
    if not isinstance(public, Ed25519PublicKey):
        raise _refused(f"{quoted(str(key))} is no public key for Ed25519", "give a file that begins with `-----BEGIN PUBLIC KEY-----`")
    try:
        public.verify(signature, data)
        return data.decode("utf-8-sig")
    except InvalidSignature:
        hint = f"nothing of it was taken; get it again, with {quoted(signature_path.name)}, from whoever signs it"
        raise _refused(f"{quoted(str(path))} is not what the holder of {quoted(str(key))} has signed", hint) from None
    except UnicodeDecodeError:
        raise DomainError([Diagnostic(Code.NOT_UTF8, f"{quoted(str(path))} is not UTF-8", None, "save it as UTF-8")]) from None


def _raw(signature: bytes) -> bytes:
    """A signature as it is, or written in base64."""
    if len(signature) == SIGNATURE:
        return signature
    try:
        return base64.b64decode(b"".join(signature.split()), validate=True)
    except binascii.Error:
        return b""


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "it is no file").lower()
        code = Code.BAD_SIGNATURE if path.suffix == ".sig" else Code.UNREADABLE_FILE
        raise DomainError([Diagnostic(code, f"cannot read {quoted(str(path))}: {reason}")]) from None


def _refused(message: str, hint: str) -> DomainError:
    return DomainError([Diagnostic(Code.BAD_SIGNATURE, message, None, hint)])
