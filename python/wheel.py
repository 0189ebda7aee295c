#!/usr/bin/env python3
"""Builds a Python wheel of culink for this machine. usage: wheel.py DIR

The wheel has the commands culink and cuconform, the library libnvJitLink, and a module that finds the library. The
build needs Go and a C compiler. Nothing is published."""

import base64
import hashlib
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import zipfile

NAME, VERSION = "culink", "13.0.88"
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
INFO = f"{NAME}-{VERSION}.dist-info"
SCRIPTS = f"{NAME}-{VERSION}.data/scripts"


def tag():
    """Returns the tag of the wheel, for any Python 3 on this platform."""
    if sys.platform != "linux":
        raise SystemExit("wheel.py: the library is for Linux only")
    libc = "_".join(platform.libc_ver()[1].split(".")[:2])
    return f"py3-none-manylinux_{libc}_{platform.machine()}"


def build(work):
    """Builds all files of the wheel. Returns a dictionary from names in the wheel to files."""
    for command in ("culink", "cuconform"):
        subprocess.run(["go", "build", "-trimpath", "-ldflags=-s -w", "-o", work / command, f"./cmd/{command}"],
                       cwd=ROOT, check=True, env={**os.environ, "CGO_ENABLED": "0"})
    for major in ("13", "12"):
        subprocess.run([ROOT / "linker/jitlink/libnvjitlink/build.sh", work / "lib", major], check=True)
    files = {f"culink/{p.name}": p for p in sorted((HERE / "culink").glob("*.py"))}
    files |= {f"culink/lib/{p.name}": p for p in sorted((work / "lib").iterdir())}
    files |= {f"{SCRIPTS}/{command}": work / command for command in ("culink", "cuconform")}
    return files


def write(target, files):
    """Writes the wheel, with checksums in RECORD. The same contents give the same bytes."""
    contents = {name: (path.read_bytes(), os.access(path, os.X_OK)) for name, path in files.items()}
    contents[f"{INFO}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\nSummary: An open linker for CUDA device code\n"
        "License: Apache-2.0\nRequires-Python: >=3.8\n".encode(), False)
    for name in ("LICENSE", "LICENSES.txt"):
        contents[f"{INFO}/{name}"] = ((ROOT / name).read_bytes(), False)
    contents[f"{INFO}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: culink\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode(), False)
    record = ""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(name, data, executable):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, data)

        for name, (data, executable) in contents.items():
            add(name, data, executable)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
        add(f"{INFO}/RECORD", record + f"{INFO}/RECORD,,\n", False)


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: wheel.py DIR")
    target = pathlib.Path(sys.argv[1]).resolve() / f"{NAME}-{VERSION}-{tag()}.whl"
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        write(target, build(pathlib.Path(work)))
    print(target)


if __name__ == "__main__":
    main()
