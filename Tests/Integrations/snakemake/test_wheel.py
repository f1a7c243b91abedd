"""The wheel, as pip and Snakemake read it."""

import base64
import hashlib
import importlib.util
import tempfile
import unittest
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3] / "Sources" / "Integrations" / "snakemake"


def backend():
    """The module that builds the wheel."""
    specification = importlib.util.spec_from_file_location("wheel_backend", SOURCE / "wheel_backend.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


class WheelTests(unittest.TestCase):
    def test_content(self):
        with tempfile.TemporaryDirectory() as folder:
            name = backend().build_wheel(folder)
            content = Path(folder, name).read_bytes()
            self.assertEqual(backend().build_wheel(folder), name)
            self.assertEqual(Path(folder, name).read_bytes(), content, "A second build makes another file.")
            with zipfile.ZipFile(Path(folder, name)) as wheel:
                files = {path: wheel.read(path) for path in wheel.namelist()}
        package = SOURCE / "snakemake_executor_plugin_baton"
        self.assertEqual(
            {path for path in files if path.endswith(".py")},
            {f"{package.name}/{each.name}" for each in package.glob("*.py")},
        )
        record = next(path for path in files if path.endswith("/RECORD"))
        rows = [line.split(",") for line in files[record].decode().splitlines()]
        self.assertEqual([row[0] for row in rows], list(files))
        for path, digest, size in rows[:-1]:
            expected = base64.urlsafe_b64encode(hashlib.sha256(files[path]).digest()).decode().rstrip("=")
            self.assertEqual((digest, int(size)), (f"sha256={expected}", len(files[path])))


if __name__ == "__main__":
    unittest.main()
