"""Writes the slot engine with the rules of some policies as WebAssembly: ``python -m deploy.wasm [FILE]``.

It is the engine's own code: what Numba makes of `sim.engines.slots` for LLVM is optimised and translated for
WebAssembly, instead of this machine. So a page runs the engine without a server: the Lab of ``sim export
lab``, and lessons with sliders of the cluster. Their file is written where no other is named, anew when the
engine changes, or a policy of such a page. The extra `wasm` has the linker, and the library of C whose
logarithms are put into the file.

The file has a function for each policy, which does what `sim.engines.slots.engine.advance` does. It takes the
address of words of 64 bits: of each array of `sim.engines.slots.world.World` where it begins and how long
each of its dimensions is; then the limit. Arrays may lie anywhere from `__heap_base` on. They are those that
`sim.engines.slots.run` makes, but for the addresses in `table`. An answer of -1 is an error.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, compiler
from numba.core.registry import cpu_target
from numba.np.arrayobj import populate_array

from pages.lessons.export.lab import policies
from sim.engines.slots.engine import advance
from sim.engines.slots.scenario import SlotScenario, read_policy, sharing_rules, speculation_rules
from sim.engines.slots.world import WORLD
from sim.kernel.compile import _called, _linkable
from sim.kernel.hook import WORD
from sim.shell.wasm import Shipped, sources

#: Pointers of 32 bits, and instructions that all browsers have had since 2023.
TRIPLE, FEATURES = "wasm32-unknown-wasi", "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint"
#: Bytes of its stack; a run that needs more stops.
STACK = 1 << 17
#: Calls of Python, which Numba declares.
PYTHON = re.compile(r"^declare (.*@(?:Py\w+|numba_gil_\w+|numba_unpickle)\(.*?\)).*", re.MULTILINE)
target = cpu_target.target_context


# What Numba makes of the engine and of the rules, not yet optimised.


def written_down(signature: Any, **options: Any) -> Any:
    """Return what types a function and writes it down for LLVM; it stands for `numba.njit`."""
    del options["cache"]
    flags = compiler.Flags()
    cpu_target.options.parse_as_flags(flags, options | {"nopython": True, "boundscheck": None})
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    typing, kinds, answer = cpu_target.typing_context, signature.args, signature.return_type
    return lambda function: compiler.compile_extra(typing, target, function, kinds, answer, flags, {})


def hooks(policy: str) -> list[Any]:
    """Return the functions of a policy's rules, in the order in which the engine takes them."""
    chosen, found = read_policy(policy), []
    for rules, part in ((sharing_rules, chosen.sharing), (speculation_rules, chosen.speculation)):
        rule = rules()[part.key]
        found += rule.compiled(rule.values(SlotScenario(), part.as_dict))
    return found


# The functions that are called from outside.


def array(builder: Any, words: Iterator[Any], kind: Any) -> Any:
    """Emit an array of which the next words say where it is, and how long."""
    made = target.make_array(kind)(target, builder)
    begin = builder.inttoptr(next(words), made.data.type)
    shape = [next(words) for _ in range(kind.ndim)]
    strides = [WORD(target.get_abi_sizeof(target.get_data_type(kind.dtype)))]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(made, begin, shape, strides, strides[-1], None)
    return made._getvalue()


def add_entry(module: Any, policy: str, engine: Any, hooks: list[Any]) -> None:
    """Add a function that runs the engine with the rules of a policy."""
    function = ir.Function(module, ir.FunctionType(WORD, [WORD.as_pointer()]), policy)
    builder = ir.IRBuilder(function.append_basic_block())
    words = (builder.load(builder.gep(function.args[0], [WORD(place)])) for place in range(1000))
    arguments = [target.make_tuple(builder, WORLD, [array(builder, words, kind) for kind in WORLD.types])]
    for kind, hook in zip(engine.signature.args[1:-1], hooks, strict=True):
        pointers = cgutils.create_struct_proxy(kind)(target, builder)
        pointers.jit_addr = builder.bitcast(target.declare_function(module, hook.fndesc), cgutils.voidptr_t)
        arguments.append(pointers._getvalue())
    called = target.declare_function(module, engine.fndesc)
    status, answer = target.call_conv.call_function(
        builder, called, engine.signature.return_type, engine.signature.args, [*arguments, next(words)]
    )
    builder.ret(builder.select(status.is_error, WORD(-1), answer))


def linked(chosen: tuple[str, ...]) -> str:
    """Return the engine with its rules, and all that they call, as text."""
    target.refresh()  # Numba compiles a few things of its own, as always
    with mock.patch("numba.njit", written_down):
        engine = advance._made()
        rules = {policy: hooks(policy) for policy in chosen}
    module = ir.Module()
    module.triple, module.data_layout = llvm.get_process_triple(), str(target.target_data)
    for policy, found in rules.items():
        add_entry(module, policy, engine, found)
    whole = llvm.parse_assembly(str(module))
    results = [engine, *(hook for found in rules.values() for hook in found)]
    parts = {part: None for result in results for part in (result.library, *_called(result.library))}
    for part in parts:
        whole.link_in(_linkable(part), preserve=True)
    return str(whole)


# The file.


def retargeted(text: str) -> str:
    """Return the text for WebAssembly: addresses have another size, and Python is never called.

    Numba would ask Python for the address of a rule that has none, if its caller had an environment. Callers
    are said to have one, and calls of Python never to happen: so LLVM leaves both out.
    """
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine()
    text = re.sub("^target datalayout.*", f'target datalayout = "{machine.target_data}"', text, flags=re.M)
    text = re.sub("^target triple.*", f'target triple = "{TRIPLE}"', text, flags=re.M)
    there = r"\1internal constant ptr inttoptr (i64 1 to ptr)"
    text = re.sub(r"^(@_ZN08NumbaEnv\w* = )common .*", there, text, flags=re.M)
    text = text.replace("@numba_nextafter(", "@nextafter(")  # Numba's has the name that C's has not
    return PYTHON.sub(r"define \1 { unreachable }", text)


def translated(text: str) -> bytes:
    """Optimise and translate."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(features=FEATURES, opt=3)
    module = llvm.parse_assembly(retargeted(text))
    module.verify()
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    passes.getModulePassManager().run(module, passes)
    return machine.emit_object(module)


def write(path: Path) -> None:
    """Write the file, with what the pages with sliders need."""
    options = [f"--export={name}" for name in (*policies(), "__heap_base")]
    options += ["--no-entry", "--strip-all", f"-z,stack-size={STACK}"]
    with tempfile.TemporaryDirectory() as folder:
        compiled = Path(folder, "engine.o")
        compiled.write_bytes(translated(linked(policies())))
        command = [sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-wasi", "-nostartfiles"]
        command += ["-mexec-model=reactor", *(f"-Wl,{option}" for option in options)]
        subprocess.run([*command, str(compiled), "-o", str(path)], check=True)


def ship() -> None:
    """Write the file that is shipped."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "engine.wasm")
        write(path)
        Shipped(policies(), sources(), path.read_bytes()).write()


if __name__ == "__main__":
    write(Path(sys.argv[1])) if sys.argv[1:] else ship()
