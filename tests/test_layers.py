"""The layers are facts: read from the imports and includes, never from good intentions."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE = sorted((ROOT / "csrc").rglob("*.[ch]"))
ENV = sorted((ROOT / "kinewright_env").rglob("*.py"))
AGENTS = sorted((ROOT / "agents").rglob("*.py"))

# What of kinewright_env an agent may see: nothing here knows a scene or a world.
OPEN_TO_AGENTS = {"agent", "errors", "grids", "layers", "rig", "shells"}
# What would show an agent the truth, by whatever name it is reached.
CLOSED = {
    "_world", "core", "env", "generators", "importers", "runner", "scene", "scene_cells",
    "scene_truth", "unwrapped", "world",
}  # fmt: skip
EXACT_IN_C = {"sqrt", "floor", "ceil", "fabs"}
IN_MATH_H = (
    "acosh?|asinh?|atan[2h]?|cbrt|ceil|copysign|cosh?|erfc?|exp2?|expm1|fabs|fdim|floor|fma"
    "|fmax|fmin|fmod|frexp|hypot|ilogb|ldexp|lgamma|l?l?rint|l?l?round|log(2|10|1p|b)?|modf"
    "|nearbyint|nextafter|pow|remainder|remquo|scalbl?n|sinh?|sqrt|tanh?|tgamma|trunc"
)

# Exact by IEEE 754 or integer, so the same on every machine.
EXACT_IN_MATH = {
    "ceil", "comb", "copysign", "degrees", "fabs", "floor", "fmod", "frexp", "fsum", "gcd", "inf",
    "isfinite", "isinf", "isnan", "isqrt", "lcm", "ldexp", "modf", "nan", "pi", "prod", "radians",
    "sqrt", "tau", "trunc",
}  # fmt: skip
NUMPY_INEXACT = {
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "cos",
    "cosh", "dot", "einsum", "exp", "exp2", "expm1", "float_power", "hypot", "inner", "linalg",
    "log", "log10", "log1p", "log2", "matmul", "power", "sin", "sinc", "sinh", "tan", "tanh",
    "tensordot", "trapezoid", "vdot",
}  # fmt: skip
# Where inexact functions may stand: nothing of these reaches a record or a decision.
DRAWING_ONLY = {
    "kinewright_env/viewer": "pixels of the window",
    "kinewright_env/scene_picture.py": "pixels of a scene's drawing",
}


# The agents' public headers: kw_grid.h and those that it gathers.
OF_GRID = "({})$".format(
    "|".join(
        re.escape(name)
        for name in [
            "kw_grid.h",
            *re.findall(r'^#include "(kw_\w+\.h)"', (ROOT / "csrc/kw_grid.h").read_text(), re.M),
        ]
        if name != "kw_types.h"
    )
)


def relative(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def includes(file: Path) -> set[str]:
    return set(re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', file.read_text(), re.M))


def c_code(file: Path) -> str:
    """Return the text without comments and strings."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", file.read_text(), flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


def package_of(file: Path) -> list[str]:
    """Return the package that relative imports of a file start from."""
    parts = relative(file).split("/")[:-1]
    return ["kinewright_agents", *parts[1:]] if parts[0] == "agents" else parts


def walk(file: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(file.read_text(encoding="utf-8")))


def imports(file: Path) -> Iterator[str]:
    """Yield the absolute name of each module and each name imported from one."""
    for node in walk(file):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = package_of(file)
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def within(name: str, *modules: str) -> bool:
    return any(name == module or name.startswith(module + ".") for module in modules)


def attributes(file: Path, *owners: str) -> Iterator[str]:
    """Yield each name that is used of a module: `math.sin`, `np.linalg`, `from math import`."""
    for node in walk(file):
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in owners:
                yield node.attr
        elif isinstance(node, ast.ImportFrom) and node.module in owners:
            yield from (alias.name for alias in node.names)


def violations(files: list[Path], forbidden: tuple[str, ...], allowed: set[str]) -> list[str]:
    return [
        f"{relative(file)}: {name}"
        for file in files
        if relative(file) not in allowed
        for name in imports(file)
        if within(name, *forbidden)
    ]


def test_there_is_something_to_read() -> None:
    assert CORE
    assert ENV
    assert AGENTS


@pytest.mark.parametrize(
    ("side", "forbidden"),
    [
        ("world", rf"(^|/)grid/|{OF_GRID}"),
        ("grid", r"(^|/)world/|kw_world\.h$"),
        ("common", rf"(^|/)(world|grid)/|kw_world\.h$|{OF_GRID}"),
        ("replay", rf"(^|/)(world|grid)/|{OF_GRID}"),
    ],
)
def test_the_sides_of_the_core_do_not_include_each_other(side: str, forbidden: str) -> None:
    """An agent's library holds no scene, no sensor and no truth; common knows neither side."""
    files = [file for file in CORE if file.parent.name == side]
    own = {file.name for file in CORE if file.parent.name in {side, "common", "csrc"}}
    foreign = {file.name for file in CORE} - own
    assert files
    for file in files:
        found = {
            name
            for name in includes(file)
            if re.search(forbidden, name) or name.rsplit("/", 1)[-1] in foreign
        }
        assert not found, f"{relative(file)} includes {found}"


def test_each_library_is_built_from_its_own_side_and_common() -> None:
    """The layer rule holds for what is linked, not for what is included alone."""
    text = (ROOT / "setup.py").read_text()
    built = dict(re.findall(r'builder\("kinewright_env\.(_\w+)", "kw_\w+\.h", (.*?)\)', text))
    assert built == {"_world": '"common", "world"', "_grid": '"common", "grid"'}


def test_the_core_knows_no_python_no_clock_and_no_files() -> None:
    allowed = {
        "assert.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdbool.h", "stddef.h",
        "stdint.h", "stdlib.h", "string.h",
    }  # fmt: skip
    own = {path.name for path in CORE}
    machine_only = {"csrc/common/machine.c", "csrc/common/machine.h", "csrc/common/crc.c"}
    program = "csrc/replay/kw_replay.c"  # the replayer's command line: it reads the file
    for file in CORE:
        system = {name for name in includes(file) if name.rsplit("/", 1)[-1] not in own}
        if relative(file) in machine_only:
            system -= {"immintrin.h", "xmmintrin.h", "wmmintrin.h", "fenv.h"}
        if relative(file) == program:
            system -= {"stdio.h"}
        assert system <= allowed, f"{relative(file)} includes {system - allowed}"


def test_the_core_takes_only_exact_functions_from_the_maths_header() -> None:
    call = re.compile(rf"(?<![\w.>])((?:{IN_MATH_H})[fl]?)\s*\(")
    for file in CORE:
        code = c_code(file)
        called = {match[1] for match in call.finditer(code)}
        assert called <= EXACT_IN_C, f"{relative(file)} calls {called - EXACT_IN_C}"
        assert "long double" not in code, relative(file)


def test_the_core_keeps_no_state_between_calls() -> None:
    """No static variable that can change, at file level or inside a function."""
    mutable = re.compile(r"^\s*static\s+(?!const\b|inline\b|_Noreturn\b)[^;(){}]*(=[^;]*)?;", re.M)
    for file in CORE:
        found = mutable.findall(c_code(file))
        assert not found, f"{relative(file)}: {found}"


def test_the_environment_imports_no_agent() -> None:
    assert not violations(ENV, ("kinewright_agents", "agents"), set())


def test_one_module_each_touches_the_libraries() -> None:
    world, grid = ("kinewright_env._world",), ("kinewright_env._grid",)
    assert not violations(ENV + AGENTS, world, {"kinewright_env/core.py"})
    assert not violations(ENV + AGENTS, grid, {"kinewright_env/grids/library.py"})
    assert "kinewright_env._world" in set(imports(ROOT / "kinewright_env/core.py"))
    assert "kinewright_env._grid" in set(imports(ROOT / "kinewright_env/grids/library.py"))


def test_agents_see_observations_declarations_and_kernels_only() -> None:
    open_modules = tuple(f"kinewright_env.{name}" for name in sorted(OPEN_TO_AGENTS))
    for file in AGENTS:
        for name in imports(file):
            known = within(name, "numpy", "kinewright_agents", "__future__")
            standard = name.split(".")[0] in sys.stdlib_module_names
            assert known or standard or within(name, *open_modules) or name == "kinewright_env", (
                f"{relative(file)} imports {name}"
            )
            around = standard and within(name, "importlib", "ctypes", "gc", "inspect")
            through = CLOSED & set(name.split(".")[1:]) if within(name, *open_modules) else set()
            assert not around, f"{relative(file)} imports {name}"
            assert not through, f"{relative(file)} imports {name}"
        reached = CLOSED & {node.attr for node in walk(file) if isinstance(node, ast.Attribute)}
        assert not reached, f"{relative(file)} reaches for {reached}"


def test_agents_import_each_other_relatively() -> None:
    for file in AGENTS:
        for node in walk(file):
            if isinstance(node, ast.ImportFrom) and not node.level:
                assert not within(node.module or "", "kinewright_agents", "agents"), relative(file)
            if isinstance(node, ast.ImportFrom) and node.module == "kinewright_env":
                assert {alias.name for alias in node.names} <= OPEN_TO_AGENTS, relative(file)
            if isinstance(node, ast.Import):
                names = {alias.name for alias in node.names}
                assert "kinewright_env" not in names, relative(file)


def test_what_agents_may_import_reaches_no_scene_and_no_world() -> None:
    """Followed from module to module; the rig alone reads its figures from the core."""
    closed = tuple(f"kinewright_env.{name}" for name in CLOSED)
    seen: set[str] = set()
    ahead = [f"kinewright_env.{name}" for name in sorted(OPEN_TO_AGENTS - {"rig"})]
    while ahead:
        module = ahead.pop()
        name = module.replace(".", "/")
        file = ROOT / f"{name}.py"
        file = file if file.is_file() else ROOT / name / "__init__.py"
        if module in seen or not file.is_file():
            continue
        seen.add(module)
        reached = {name for name in imports(file) if within(name, *closed)}
        assert not reached, f"{module} imports {reached}"
        ahead += [name for name in imports(file) if name.startswith("kinewright_env.")]
    assert seen >= {"kinewright_env.grids", "kinewright_env.layers"}


def test_pygame_is_imported_by_the_viewer_alone() -> None:
    outside = [file for file in ENV + AGENTS if "viewer" not in file.parts]
    assert not violations(outside, ("pygame",), set())


def test_importing_the_package_imports_nothing_optional() -> None:
    """A headless run pays for no window, picture or plot."""
    program = (
        "import sys, kinewright_env; "
        "heavy = {'pygame', 'PIL', 'scipy', 'matplotlib', 'imageio_ffmpeg', 'shapely',"
        " 'kinewright_env.viewer', 'kinewright_agents'}; "
        "print(*sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == []


def test_nothing_that_reaches_a_record_uses_an_inexact_function() -> None:
    for file in ENV + AGENTS:
        if relative(file).startswith(tuple(DRAWING_ONLY)):
            continue
        of_math = set(attributes(file, "math")) - EXACT_IN_MATH
        of_numpy = set(attributes(file, "np", "numpy")) & NUMPY_INEXACT
        assert not of_math, f"{relative(file)} uses math.{of_math}"
        assert not of_numpy, f"{relative(file)} uses numpy.{of_numpy}"
        nodes = list(walk(file))
        products = [node for node in nodes if isinstance(node, ast.MatMult)]
        assert not products, f"{relative(file)} multiplies matrices, whose sums have no fixed order"
        for call in (node for node in nodes if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Attribute) and call.func.attr == "argsort":
                kinds = [k.value.value for k in call.keywords if isinstance(k.value, ast.Constant)]
                assert "stable" in kinds, f"{relative(file)}: argsort leaves ties to the processor"
