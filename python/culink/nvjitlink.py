"""Where culink's libnvJitLink is, and how to put it before NVIDIA's.

    python -m culink.nvjitlink            tell it
    python -m culink.nvjitlink --path     print the path of the library
    python -m culink.nvjitlink --preload  print what LD_PRELOAD has to be
"""

import os
import sys

NAME = "libnvJitLink.so.13"


def path():
    """The path of the library."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", NAME)


def preload():
    """The value of LD_PRELOAD with the library before what is there."""
    return ":".join([path()] + [p for p in os.environ.get("LD_PRELOAD", "").split(":") if p])


def main(args):
    if not os.path.exists(path()):
        print(f"culink.nvjitlink: {path()} is missing", file=sys.stderr)
        return 1
    if args == ["--path"]:
        print(path())
    elif args == ["--preload"]:
        print(preload())
    elif args:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    else:
        print(
            f"""culink's libnvJitLink is {path()}

A program uses it in the place of NVIDIA's when it is loaded first:

    LD_PRELOAD={preload()} python program.py

That works also where NVIDIA's wheel nvidia-nvjitlink is installed, which the packages of cuda-python look into
before LD_LIBRARY_PATH. Without that wheel the folder is enough:

    LD_LIBRARY_PATH={os.path.dirname(path())} python program.py

PTX inputs need NVIDIA's ptxas of CUDA 13.0: put it on PATH, or name it in CULINK_PTXAS.
A process that was forked after it loaded the library cannot link: start processes by spawn, not by fork."""
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
