"""Change the package in small ways, one at a time, and count the changes that the tests notice.

The operators are those of Cosmic Ray (`pip install cosmic-ray coverage`). Its own runner starts pytest anew for each
mutant, which takes longer than most tests, and changes the sources in place, which an editable install and other
processes use. Here the package is copied, and each mutant is tested in a fork of a process that has NumPy, SciPy and
pytest in memory.
The tests that execute the changed statement run, the quickest first, up to the first failure; slow ones are left out.
All limits are of CPU time, so that a busy machine changes no result.

A site is a piece of code that some operators change. Sites are drawn at random, then one mutant of each, so that an
operator with eleven replacements counts once. See `tools/mutation.md`.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import coverage
import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[2]
# All in seconds of CPU.
TEST_CPU_MAX = 3.0  # of a test; slower ones are left out, and nearly always repeat what quick ones notice
MUTANT_CPU_MAX = 12.0  # of the tests of one mutant without a change; the slowest of them are left out
SLOWDOWN_MAX = 10  # a test of a mutant that takes this many times its own time, and five seconds, has failed
CPU_LIMIT = 600  # of one mutant; for loops in compiled code, which no signal of Python interrupts
MEASURED_CPU_LIMIT = 3600  # of all tests of a group while they are measured
MAX_EXAMPLES = 25  # of a property
WALL_LIMIT = 7200.0  # seconds by the clock, for processes that wait for each other
NICENESS = 5
LIBRARIES = (
    "numpy scipy.sparse scipy.special scipy.optimize pytest hypothesis narwhals networkx pandas "
    "ortools.linear_solver.pywraplp ortools.linear_solver.python.model_builder_helper"
)


class Group(NamedTuple):
    """Modules of a package, and their tests in the folder of the same name or with a path of their own."""

    package: str
    modules: str
    tests: str

    def files(self) -> list[str]:
        """Return the files of tests, relative to the folder of tests and without their suffix."""
        names = (name if "/" in name else f"{self.package}/{name}" for name in self.tests.split())
        return [Path(name).as_posix() for name in names]


EVERY_PACKAGE = "./test_dataclasses"  # tests of all modules
GROUPS = {
    "distances": Group(
        "distances",
        "base dissimilarity forms metric numeric registry structured",
        "test_dissimilarity test_item_distances test_distances test_edges measures/items/test_golden "
        "measures/items/test_coefficients " + EVERY_PACKAGE,
    ),
    "alignment": Group(
        "alignment",
        "align assignment blocks candidates certification cover generation "
        "heuristic kinds limits listing lp memory partition search solve watching witness",
        "test_given_alignment test_result test_alignment test_solver test_witness test_generation test_memory "
        "test_blocks test_cover test_listing test_limits test_partition " + EVERY_PACKAGE,
    ),
    "inference": Group(
        "inference",
        "bootstrap delta exchanges hypotheses jackknife means score student uncertainty values",
        "test_bootstrap test_hypotheses test_means test_score test_jackknife test_student test_values "
        "measures/items/test_inference "
        "measures/unitizing/test_unitizing insight/comparison/test_paired " + EVERY_PACKAGE,
    ),
    "items": Group(
        "measures/items",
        "categories coefficients core counts intervals items_result items_rows items_settings latent replicates spec "
        "two_coders",
        "test_golden test_coefficients test_inference test_rows test_latent test_anything " + EVERY_PACKAGE,
    ),
    "unitizing": Group(
        "measures/unitizing",
        "coincidences family segments unitizing_alpha unitizing_alpha_2004 unitizing_result unitizing_rows",
        "test_unitizing test_rows test_memory insight/comparison/test_paired " + EVERY_PACKAGE,
    ),
    "gamma": Group(
        "measures/gamma",
        "alignment_settings gamma gamma_result gamma_rows gamma_settings measure part_samples part_work shared_chance",
        "test_rows test_gamma test_shared_chance test_conventions test_soft " + EVERY_PACKAGE,
    ),
    "chance": Group(
        "chance",
        "aligned_sums categorial chance_settings computed_chance draws estimate label_distances other_samplers "
        "overlaps pairs precision priors sampler samples shifted_samples",
        "test_categorial test_precision test_overlaps test_computed_chance test_pairs_as_control test_samplers "
        "test_chance test_shifted_samples test_priors " + EVERY_PACKAGE,
    ),
}
"""The groups of modules, by name."""


class Mutant(NamedTuple):
    """A module with one change: the operator of Cosmic Ray, the index of its occurrence, and its place.

    `first` and `last` are the lines of its statement, without the statements in it. A statement outside of functions is
    executed at import, by whichever test is the first to import the module.
    """

    module: str
    operator: str
    occurrence: int
    line: int
    column: int
    first: int
    last: int
    is_imported: bool = True


class Measured(NamedTuple):
    """CPU seconds of the tests, and the tests that execute each line, by module."""

    times: dict[str, float]
    lines: dict[str, dict[str, list[str]]]

    def select(self, prefix: str) -> Measured:
        """Return the measurements of the tests whose names begin with a prefix."""
        times = {name: seconds for name, seconds in self.times.items() if name.startswith(prefix)}
        return Measured(
            times,
            {
                module: {line: [name for name in names if name in times] for line, names in lines.items()}
                for module, lines in self.lines.items()
            },
        )

    @classmethod
    def joined(cls, parts: list[Measured]) -> Measured:
        """Return the measurements of all parts."""
        result = cls({}, {})
        for part in parts:
            result.times.update(part.times)
            for module, lines in part.lines.items():
                for line, names in lines.items():
                    result.lines.setdefault(module, {}).setdefault(line, []).extend(names)
        return result


class Outcome(NamedTuple):
    """How the tests of a mutant ended: "killed", "survived", or "timeout", with the first test that failed.

    A mutant that ends the process, in compiled code, is killed without such a test.
    """

    mutant: Mutant
    group: str
    status: str
    failed: str
    cpu: float
    diff: str


def main() -> int:
    arguments = _arguments()
    if arguments.tests:
        for name in arguments.groups or list(GROUPS):
            GROUPS[name] = GROUPS[name]._replace(tests=" ".join(arguments.tests))
    os.nice(NICENESS)
    for library in LIBRARIES.split():
        __import__(library)
    copy = Path(tempfile.mkdtemp(prefix="gamma_align-mutation-"))
    try:
        _copy_package(copy)
        return _run(copy, arguments)
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Mutate modules and run their tests.")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}; all by default")
    parser.add_argument("--sites", type=int, default=25, help="sites to draw from each group")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu", type=float, default=math.inf, help="stop after these seconds of CPU")
    parser.add_argument("--only", nargs="*", default=[], metavar="MODULE:LINE", help="only mutants of these lines")
    parser.add_argument("--again", type=Path, metavar="FILE", help="only mutants that survived in an earlier output")
    parser.add_argument("--tests", nargs="*", metavar="NAME", help="files of tests instead of those of the groups")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        help="JSON lines, one for each mutant; a mutant that is there is not tested again",
    )
    return parser.parse_args()


def _copy_package(copy: Path) -> None:
    """Copy package, tests and corpora, with the compiled kernels, and make it the one that is imported."""
    spec = find_spec("gamma_align.kernels._native")
    for name in [name for name in sys.modules if name.partition(".")[0] == "gamma_align"]:
        del sys.modules[name]
    shutil.copytree(ROOT / "gamma_align", copy / "gamma_align", ignore=shutil.ignore_patterns("__pycache__", "src"))
    if spec is None or spec.origin is None:
        print("there are no compiled kernels: tests are slow, and more of them are left out", file=sys.stderr)
    else:
        shutil.copy(spec.origin, copy / "gamma_align" / "kernels")
    shutil.copytree(ROOT / "tests", copy / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "corpora", "tools", "docs"):
        (copy / name).symlink_to(ROOT / name)
    # The finder of an editable install comes first, whatever the path.
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "ScikitBuildRedirectingFinder"]
    sys.path.insert(0, str(copy))
    os.environ["PYTHONPATH"] = str(copy)
    os.chdir(copy)


def _run(copy: Path, arguments: argparse.Namespace) -> int:
    draw = random.Random(arguments.seed)  # noqa: S311
    for group in arguments.groups or GROUPS:
        mutants = _drawn(copy, group, draw, arguments)
        print(f"{group}: {len(mutants)} mutants", file=sys.stderr, flush=True)
        measured = _measured(copy, group)
        if measured is None:
            print(f"{group}: the tests do not run without a change:", *_tail(copy), sep="\n", file=sys.stderr)
            return 1
        tested = [Mutant(**one["mutant"]) for one in _lines(arguments.output)]
        for mutant in (mutant for mutant in mutants if mutant not in tested):
            if resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime > arguments.cpu:
                print("the limit of CPU is reached", file=sys.stderr)
                return 0
            outcome = _try(copy, group, mutant, measured)
            with arguments.output.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**outcome._asdict(), "mutant": mutant._asdict()}) + "\n")
            print(outcome.status, *mutant, f"{outcome.cpu:.1f}", outcome.failed, file=sys.stderr, flush=True)
    return 0


def _lines(file: Path) -> list[dict[str, Any]]:
    """Return the outcomes in an output."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def _drawn(copy: Path, group: str, draw: random.Random, arguments: argparse.Namespace) -> list[Mutant]:
    """Return one random mutant of each site drawn, in the order of drawing, or those that are named."""
    if arguments.again:
        outcomes = _lines(arguments.again)
        return [Mutant(**one["mutant"]) for one in outcomes if (one["group"], one["status"]) == (group, "survived")]
    sites: dict[tuple[str, int, int, str], list[Mutant]] = {}
    for module in GROUPS[group].modules.split():
        for mutant in _mutants(copy, f"{GROUPS[group].package}/{module}"):
            kind = mutant.operator.split("_")[0]
            sites.setdefault((mutant.module, mutant.line, mutant.column, kind), []).append(mutant)
    print(f"{group}: {len(sites)} sites, {sum(map(len, sites.values()))} mutants", file=sys.stderr)
    keys = draw.sample(sorted(sites), min(arguments.sites, len(sites)))
    mutants = [draw.choice(sites[key]) for key in keys]
    if arguments.only:
        lines = {tuple(line.rsplit(":", 1)) for line in arguments.only}
        return [mutant for part in sites.values() for mutant in part if (mutant.module, str(mutant.line)) in lines]
    return mutants


def _mutants(copy: Path, module: str) -> Iterator[Mutant]:
    """Yield the mutants of a module, except those of annotations and of `slots`, which change memory alone."""
    import cosmic_ray.plugins
    from cosmic_ray.ast import ast_nodes, get_ast

    path = copy / "gamma_align" / f"{module}.py"
    tree = get_ast(path.read_text(encoding="utf-8"))
    python = ast.parse(path.read_text(encoding="utf-8"))
    skipped, spans = _annotations(python), _statements(python)
    for name in cosmic_ray.plugins.operator_names():
        if "Variable" in name:  # needs names of variables
            continue
        operator = cosmic_ray.plugins.get_operator(name)()
        occurrence = 0
        for node in ast_nodes(tree):
            for position in operator.mutation_positions(node):
                (line, column), _ = position[:2]
                if not any(first <= (line, column) <= last for first, last in skipped):
                    around = (span for span in spans if span[0] <= line <= span[1])
                    span = min(around, key=lambda span: span[1] - span[0], default=(line, line, False))  # `except X:`
                    yield Mutant(module, name, occurrence, line, column, *span)
                occurrence += 1


def _statements(tree: ast.AST) -> list[tuple[int, int, bool]]:
    """Return first and last line of each statement, and whether it is outside of functions.

    Of statements with a body, these are the lines before it.
    """
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(node) for function in functions for part in function.body for node in ast.walk(part)}
    spans = []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
            spans.append((first, last, id(node) not in inside))
    return spans


def _annotations(tree: ast.AST) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return first and last position of each annotation, type alias and `slots=…`: changes there do nothing."""
    parts: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            parts.append(node.annotation)
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            parts.append(node.returns)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            parts.append(node)
        if isinstance(node, ast.keyword) and node.arg == "slots":
            parts.append(node)
    return [((p.lineno, p.col_offset), (p.end_lineno or 0, p.end_col_offset or 0)) for p in parts]  # type: ignore[attr-defined]


def _measured(copy: Path, group: str) -> Measured | None:
    """Return the measurements of the tests of a group; files of tests that have not changed are not measured again."""
    kept = Path(tempfile.gettempdir()) / f"gamma_align-mutation-{os.getuid()}-{group}.json"
    parts: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    digests = {file: _digest(copy, group, file) for file in GROUPS[group].files()}
    files = [file for file, digest in digests.items() if parts.get(file, [""])[0] != digest]
    measured: Measured | None = Measured({}, {})
    for plugin in (Stopwatch, Lines) if files else ():  # apart, since coverage makes some tests ten times as slow
        if measured is not None:
            output = copy / "measured.json"
            output.unlink(missing_ok=True)
            _, _, cpu = _test(copy, files, plugin(copy, group, measured, output))
            print(f"{group}: {cpu:.0f} s of CPU for the tests with {plugin.__name__}", file=sys.stderr, flush=True)
            measured = Measured(*json.loads(output.read_text(encoding="utf-8"))) if output.exists() else None
    if measured is None:
        return None
    for file in files:
        parts[file] = [digests[file], *measured.select(f"tests/{file}.py::")]
    kept.write_text(json.dumps(parts), encoding="utf-8")
    measured = Measured.joined([Measured(*parts[file][1:]) for file in digests])
    count, total = len(measured.times), sum(measured.times.values())
    print(f"{group}: {count} tests take {total:.0f} s of CPU", file=sys.stderr, flush=True)
    return measured


def _digest(copy: Path, group: str, file: str) -> str:
    """Return a hash of a file of tests and of the package that it tests."""
    package, helpers = copy / "gamma_align" / GROUPS[group].package, copy / "tests" / "helpers"
    paths = [copy / "tests" / f"{file}.py", *sorted(package.glob("*.py")), *sorted(helpers.glob("*.py"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _try(copy: Path, group: str, mutant: Mutant, measured: Measured) -> Outcome:
    """Test a mutant, and put the module right again."""
    import difflib

    import cosmic_ray.plugins
    from cosmic_ray.mutating import mutate_code

    path = copy / "gamma_align" / f"{mutant.module}.py"
    original = path.read_text(encoding="utf-8")
    changed = mutate_code(original, cosmic_ray.plugins.get_operator(mutant.operator)(), mutant.occurrence)
    lines = difflib.unified_diff(original.splitlines(), changed.splitlines(), lineterm="", n=0)
    diff = "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))
    for cached in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        cached.unlink()
    path.write_text(changed, encoding="utf-8")
    try:
        plugin = QuickestFirst(measured, mutant)
        files = {name.partition(".py::")[0].removeprefix("tests/") for name in plugin.names}
        if not files:
            return Outcome(mutant, group, "survived", "", 0.0, diff)
        return Outcome(mutant, group, *_test(copy, sorted(files), plugin), diff)
    finally:
        path.write_text(original, encoding="utf-8")


def _test(copy: Path, files: list[str], plugin: Examples) -> tuple[str, str, float]:
    """Run files of tests in a fork; return how it ended, the first failure, and CPU seconds."""
    output = copy / "output.txt"
    process = os.fork()
    if process == 0:
        _child(copy, files, output, plugin)
    deadline, before = time.monotonic() + WALL_LIMIT, resource.getrusage(resource.RUSAGE_CHILDREN)
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline:
            os.killpg(process, signal.SIGKILL)
            os.waitpid(process, 0)
            break
        time.sleep(0.02)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    text = output.read_text(encoding="utf-8", errors="replace") if output.exists() else ""
    if "exit " in text:
        status = text.rpartition("exit ")[2].strip()
    else:  # the process ended by a signal: at a limit, or in compiled code
        status = "timeout" if cpu >= CPU_LIMIT or time.monotonic() > deadline else "killed"
    failed = next((line for line in text.splitlines() if line.startswith(("FAILED", "ERROR"))), "")
    return {"0": "survived", "5": "survived", "timeout": "timeout"}.get(status, "killed"), failed[:200], cpu


def _tail(copy: Path) -> list[str]:
    return (copy / "output.txt").read_text(encoding="utf-8", errors="replace").splitlines()[-20:]


class Examples:
    """A plugin of pytest: few examples of properties, the same each time, and no search for simpler ones."""

    is_mutant = False

    def start(self) -> None:
        """Begin, in the process of the tests and before the package is imported."""

    def pytest_collection(self) -> None:
        phases = [Phase.explicit, Phase.generate]
        settings.register_profile(
            "mutation", max_examples=MAX_EXAMPLES, phases=phases, derandomize=True, deadline=None, database=None
        )
        settings.load_profile("mutation")


class Stopwatch(Examples):
    """Measures the CPU time of each test. Tests that fail or are too slow are left out."""

    def __init__(self, copy: Path, group: str, measured: Measured, output: Path) -> None:  # noqa: ARG002
        self._output = output
        self._times: dict[str, float] = {}
        self._failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:  # noqa: ANN401
        """Measure a test, with its fixtures."""
        begin = time.process_time()
        result = yield
        self._times[item.nodeid] = time.process_time() - begin
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        with _cpu_limit(TEST_CPU_MAX):
            return (yield)

    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: ANN401
        if report.failed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        times = {name: seconds for name, seconds in self._times.items() if name not in self._failed}
        self._output.write_text(json.dumps([times, {}]), encoding="utf-8")


class Lines(Examples):
    """Measures the lines that each test executes. Tests that fail are left out: some notice that they are measured."""

    def __init__(self, copy: Path, group: str, measured: Measured, output: Path) -> None:
        self._times, self._output = dict(measured.times), output
        package = copy / "gamma_align" / GROUPS[group].package
        self._coverage = coverage.Coverage(data_file=None, source=[str(package)])

    def start(self) -> None:
        self._coverage.start()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if item.nodeid in self._times]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:  # noqa: ANN401
        self._coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: ANN401
        if report.failed:
            self._times.pop(report.nodeid, None)

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        data = self._coverage.get_data()
        lines: dict[str, dict[str, list[str]]] = {}
        for file in data.measured_files():
            lines[Path(file).stem] = {str(line): tests for line, tests in data.contexts_by_lineno(file).items()}
        self._output.write_text(json.dumps([self._times, lines]), encoding="utf-8")


class QuickestFirst(Examples):
    """Runs the tests that execute the statement of a mutant, the quickest first, up to the limit."""

    is_mutant = True

    def __init__(self, measured: Measured, mutant: Mutant) -> None:
        self._times = measured.times
        names = measured.times.keys()
        if not mutant.is_imported:  # those that execute the statement
            lines = measured.lines.get(Path(mutant.module).name, {})
            numbers = range(mutant.first, mutant.last + 1)
            names = {name for line in numbers for name in lines.get(str(line), [])} & names
        ordered = sorted(names, key=lambda name: (measured.times[name], name))
        ends = accumulate(measured.times[name] for name in ordered)
        self.names = [name for name, end in zip(ordered, ends, strict=True) if end <= MUTANT_CPU_MAX]

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        by_name = {item.nodeid: item for item in items}
        items[:] = [by_name[name] for name in self.names if name in by_name]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:  # noqa: ANN401
        with _cpu_limit(5.0 + SLOWDOWN_MAX * self._times[item.nodeid]):
            return (yield)


@contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    """Raise an exception after some seconds of CPU."""
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _stop(*_: object) -> NoReturn:
    raise TimeoutError


def _options(copy: Path, files: list[str]) -> list[str]:
    """Return the arguments of pytest."""
    plugins = (f"no:{name}" for name in ("cacheprovider", "randomly", "xdist"))
    options = ["-q", "--tb=no", "--assert=plain", f"--rootdir={copy}"]
    options += [option for plugin in plugins for option in ("-p", plugin)]
    return options + [str(copy / "tests" / f"{name}.py") for name in files]


def _child(copy: Path, files: list[str], output: Path, plugin: Examples) -> None:
    """Run pytest and end this process."""
    os.setpgid(0, 0)
    limit = CPU_LIMIT if plugin.is_mutant else MEASURED_CPU_LIMIT
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.dont_write_bytecode = plugin.is_mutant  # the date of the changed file may be that of the original
    code: int | str = "error"
    try:
        options = [*_options(copy, files), *(["-x"] if plugin.is_mutant else [])]
        plugin.start()
        code = int(pytest.main(options, plugins=[plugin]))
    except BaseException:  # noqa: BLE001  (a fork must not go on with the work of its parent)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os.write(1, f"\nexit {code}\n".encode())
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
