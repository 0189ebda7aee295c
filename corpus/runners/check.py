# usage: check.py CORPUS LINKER
import filecmp, pathlib, re, shutil, subprocess, sys, tarfile, tempfile

def plain(value):
    one = {b"\\": b"\\", b"n": b"\n", b"r": b"\r", b"c": b""}
    return re.sub(rb"\\([\\nrc]|0[0-7]{3})", lambda m: one[m[1]] if m[1] in one else bytes([int(m[1], 8)]), value)

for steps in sorted(pathlib.Path(sys.argv[1]).glob("*/*/sm_*.steps")):
    if re.search("^(expect|platform)", (steps.parent / "case.txt").read_text(), re.M):
        continue
    recorded, archive = [], steps.with_suffix(".tar.gz")
    for line in re.split(rb"^release ", steps.read_bytes(), flags=re.M)[0].split(b"\n"):
        word, _, value = line.partition(b" ")
        if word == b"step":
            recorded.append([0])
        elif word == b"arg":
            recorded[-1].append(plain(value))
        elif word == b"exit":
            recorded[-1][0] = int(value)
    with tempfile.TemporaryDirectory() as folder:
        files, work = pathlib.Path(folder, "files"), pathlib.Path(folder, "work")
        if archive.exists():
            tarfile.open(archive).extractall(files, filter="data")
        for number, (status, *argv) in enumerate(recorded, 1):
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
            for before in filter(pathlib.Path.is_dir, [files / "in"] + [files / f"{i}.out" for i in range(1, number)]):
                shutil.copytree(before, work, dirs_exist_ok=True)
            run = subprocess.run([sys.argv[2], *argv], cwd=work, capture_output=True)
            if run.returncode != status:
                print(f"exit {steps} step {number}: {run.returncode}")
            out = files / f"{number}.out"
            for want in filter(pathlib.Path.is_file, out.rglob("*")):
                got = work / want.relative_to(out)
                if not got.is_file() or not filecmp.cmp(want, got, shallow=False):
                    print(f"bytes {steps} step {number}: ./{want.relative_to(out)}")
