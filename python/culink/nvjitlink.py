"""Where culink's libnvJitLink is, and how to put it before NVIDIA's.

    python -m culink.nvjitlink [12]            tell it
    python -m culink.nvjitlink [12] --path     print the path of the library
    python -m culink.nvjitlink [12] --preload  print what LD_PRELOAD has to be (not on Windows)

With 12 it is the library for programs of CUDA 12, else that for programs of CUDA 13.
"""

import ctypes
import os
import sys

MAJORS = ("13", "12")


def path(major="13"):
    """Returns the path of the library."""
    name = f"nvJitLink_{major}0_0.dll" if sys.platform == "win32" else "libnvJitLink.so." + major
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", name)


def load(major="13"):
    """Loads the library into this process and returns it. On Windows, a program that later asks for the DLL by its name gets it."""
    return ctypes.CDLL(path(major))


def preload(major="13"):
    """Returns a value for LD_PRELOAD: the library, followed by the current value."""
    return ":".join([path(major)] + [p for p in os.environ.get("LD_PRELOAD", "").split(":") if p])


def main(args):
    major = MAJORS[0]
    if args and args[0] in MAJORS:
        major, args = args[0], args[1:]
    if not os.path.exists(path(major)):
        print(f"culink.nvjitlink: {path(major)} is missing", file=sys.stderr)
        return 1
    if args == ["--path"]:
        print(path(major))
    elif args == ["--preload"] and sys.platform != "win32":
        print(preload(major))
    elif args:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    elif sys.platform == "win32":
        print(
            f"""culink's nvJitLink is {path(major)}

A Python program uses it in the place of NVIDIA's DLL of this name when it loads it first:

    import culink.nvjitlink
    culink.nvjitlink.load("{major}")

No Python program was tried on Windows.
PTX inputs need NVIDIA's ptxas.exe of CUDA 13.0: put it on PATH, or name it in CULINK_PTXAS."""
        )
    else:
        print(
            f"""culink's libnvJitLink is {path(major)}

A program uses it in the place of NVIDIA's when it is loaded first:

    LD_PRELOAD={preload(major)} python program.py

That works also where NVIDIA's wheel nvidia-nvjitlink is installed, which the packages of cuda-python look into
before LD_LIBRARY_PATH. Without that wheel the folder is enough:

    LD_LIBRARY_PATH={os.path.dirname(path(major))} python program.py

PTX inputs need NVIDIA's ptxas of CUDA 13.0: put it on PATH, or name it in CULINK_PTXAS.
A process that was forked after it loaded the library cannot link: start processes by spawn, not by fork."""
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
