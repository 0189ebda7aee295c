"""Compiles unit.ll with the LLVM of llvmlite, at two levels: llvm_units.py SOURCES FOLDER TARGET"""
import sys

import llvmlite.binding as llvm

sources, folder, target = sys.argv[1:]
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
for level in (0, 2):
    with open(sources + "/unit.ll") as file:
        module = llvm.parse_assembly(file.read())
    machine = llvm.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(cpu="sm_" + target, opt=level)
    with open(f"{folder}/unit-{level}.{target}.ptx", "w") as out:
        out.write(machine.emit_assembly(module))
