#!/usr/bin/env python3
"""Builds the wheel of this directory with Python's own library alone, so that no network is needed.

    python3 wheel_backend.py DIRECTORY

pip uses the same functions, by the interface of PEP 517. The same files make the same wheel, byte for byte.
"""

import base64
import hashlib
import io
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent
# The first date that a zip file can have: the time of the build is nobody's business.
DATE = (1980, 1, 1, 0, 0, 0)
WHEEL = """\
Wheel-Version: 1.0
Generator: wheel_backend
Root-Is-Purelib: true
Tag: py3-none-any
"""


def project() -> dict:
    """The table of the project in pyproject.toml."""
    return tomllib.loads((SOURCE / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def base_name() -> str:
    """The name and version as the names of files have them."""
    table = project()
    return f"{table['name'].replace('-', '_')}-{table['version']}"


def metadata() -> str:
    """What PyPI and pip know of the package."""
    table = project()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {table['name']}",
        f"Version: {table['version']}",
        f"Summary: {table['description']}",
        f"Keywords: {','.join(table['keywords'])}",
        f"License-Expression: {table['license']}",
        f"Requires-Python: {table['requires-python']}",
        *(f"Requires-Dist: {each}" for each in table["dependencies"]),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (SOURCE / "README.md").read_text(encoding="utf-8")


def package_files() -> list[Path]:
    """The Python files of the package."""
    return sorted((SOURCE / project()["name"].replace("-", "_")).glob("*.py"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    """Writes the wheel into a directory, and returns its name."""
    information = f"{base_name()}.dist-info"
    files = {str(path.relative_to(SOURCE)): path.read_bytes() for path in package_files()}
    files[f"{information}/METADATA"] = metadata().encode()
    files[f"{information}/WHEEL"] = WHEEL.encode()
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{information}/RECORD"] = (record + f"{information}/RECORD,,\n").encode()
    name = f"{base_name()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, DATE)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


def build_sdist(sdist_directory, config_settings=None) -> str:
    """Writes the sources into a directory as a tarball, and returns its name."""
    name = f"{base_name()}.tar.gz"
    files = [SOURCE / "pyproject.toml", SOURCE / "README.md", Path(__file__), *package_files()]
    with tarfile.open(Path(sdist_directory) / name, "w:gz") as archive:
        for path in files:
            archive.add(path, f"{base_name()}/{path.relative_to(SOURCE)}")
        content = metadata().encode()
        entry = tarfile.TarInfo(f"{base_name()}/PKG-INFO")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return name


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    print(build_wheel(sys.argv[1]))
