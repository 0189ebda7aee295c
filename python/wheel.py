#!/usr/bin/env python3
"""Builds a Python wheel of culink for this machine, or for Windows on x86-64. usage: wheel.py DIR [win_amd64]

The wheel has the commands culink and cuconform, the library libnvJitLink, and a module that finds the library. The
build needs Go and a C compiler; for Windows this is MinGW, on any system. Nothing is published."""

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


WINDOWS = "win_amd64"


def native():
    """Returns the platform of a wheel for this machine."""
    if sys.platform == "win32":
        return WINDOWS
    if sys.platform != "linux":
        raise SystemExit("wheel.py: the library is for Linux and Windows only")
    libc = "_".join(platform.libc_ver()[1].split(".")[:2])
    return f"manylinux_{libc}_{platform.machine()}"


def build(work, system):
    """Builds all files of the wheel. Returns a dictionary from names in the wheel to files."""
    env, commands, script = {**os.environ, "CGO_ENABLED": "0"}, ["culink", "cuconform"], "build.sh"
    if system == WINDOWS:
        env |= {"GOOS": "windows", "GOARCH": "amd64"}
        commands, script = ["culink.exe", "cuconform.exe"], "build-windows.sh"
    for command in commands:
        subprocess.run(["go", "build", "-trimpath", "-ldflags=-s -w", "-o", work / command, f"./cmd/{pathlib.Path(command).stem}"],
                       cwd=ROOT, check=True, env=env)
    for major in ("13", "12"):
        subprocess.run(["sh", ROOT / "linker/jitlink/libnvjitlink" / script, work / "lib", major], check=True)
    files = {f"culink/{p.name}": p for p in sorted((HERE / "culink").glob("*.py"))}
    files |= {f"culink/lib/{p.name}": p for p in sorted((work / "lib").iterdir())}
    files |= {f"{SCRIPTS}/{command}": work / command for command in commands}
    # build.sh and build-windows.sh also build culink-lto. The command culink looks for it in its own folder too.
    files |= {f"{SCRIPTS}/{p.name}": p for p in (work / "lib").glob("culink-lto*")}
    return files


def write(target, files, system):
    """Writes the wheel, with checksums in RECORD. The same contents give the same bytes."""
    contents = {name: (path.read_bytes(), os.access(path, os.X_OK)) for name, path in files.items()}
    contents[f"{INFO}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\nSummary: An open linker for CUDA device code\n"
        "License: Apache-2.0\nRequires-Python: >=3.8\n".encode(), False)
    for name in ("LICENSE", "LICENSES.txt"):
        contents[f"{INFO}/{name}"] = ((ROOT / name).read_bytes(), False)
    contents[f"{INFO}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: culink\nRoot-Is-Purelib: false\nTag: py3-none-{system}\n".encode(), False)
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
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], [WINDOWS]):
        raise SystemExit("usage: wheel.py DIR [win_amd64]")
    system = (sys.argv[2:] or [native()])[0]
    target = pathlib.Path(sys.argv[1]).resolve() / f"{NAME}-{VERSION}-py3-none-{system}.whl"
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        write(target, build(pathlib.Path(work), system), system)
    print(target)


if __name__ == "__main__":
    main()
