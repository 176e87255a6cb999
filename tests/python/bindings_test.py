"""The bindings are those of the headers: they are generated again and compared, and the layout of
every structure is compared with that of the compiler."""
import ast
import ctypes
import importlib.util
import inspect
import re
import shutil
import subprocess
import unittest

from support import BUILD, ROOT, PackageTest, ooze

from ooze import c


class Bindings(PackageTest):
    def test_generated_modules_are_up_to_date(self):
        if not shutil.which("clang"):
            self.skipTest("there is no clang")
        spec = importlib.util.spec_from_file_location("python_bindings",
                                                      ROOT / "tools/python_bindings.py")
        generator = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(generator)
        made = generator.modules()
        self.assertGreater(len(made), 15)
        for name, text in made.items():
            self.assertEqual((generator.TARGET / name).read_text(), text,
                             f"{name}: run tools/python_bindings.py")
        there = {path.name for path in generator.TARGET.glob("*.py")} - {"_support.py"}
        self.assertEqual(there, set(made))

    def test_every_function_is_there_with_text_and_hints(self):
        declared = {name for path in (ROOT / "include/ooze").glob("*.h")
                    for name in re.findall(r"OOZE_API[^;]*?\b(ooze_\w+)\(", path.read_text())}
        self.assertGreater(len(declared), 90)
        self.assertEqual(declared - set(c.__all__), set())
        for name in declared:
            function = getattr(c, name)
            self.assertTrue(function.__doc__ and len(function.__doc__) > 5, name)
            self.assertIn("return", function.__annotations__, name)
            for parameter in inspect.signature(function).parameters:
                self.assertIn(parameter, function.__annotations__, name)

    def test_public_names_have_text(self):
        for name in ooze.__all__:
            item = getattr(ooze, name)
            self.assertTrue(item.__doc__, name)
            for method, value in vars(item).items() if inspect.isclass(item) else ():
                if not method.startswith("_") and (callable(value) or isinstance(value, property)):
                    self.assertTrue(value.__doc__, f"{name}.{method}")

    def test_structures_have_the_layout_of_the_compiler(self):
        structures = [getattr(c, name) for name in c.__all__
                      if inspect.isclass(getattr(c, name))
                      and issubclass(getattr(c, name), ctypes.Structure)]
        lines, ours = [], []
        for one in structures:
            if not getattr(one, "_fields_", ()):
                continue
            name = one.__name__
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            ours.append(f"{name} {ctypes.sizeof(one)}")
            for member, _ in one._fields_:
                c_name = member.rstrip("_")
                lines.append(f'printf("{name}.{c_name} %zu\\n", offsetof({name}, {c_name}));')
                ours.append(f"{name}.{c_name} {getattr(one, member).offset}")
        self.assertGreater(len(ours), 250)
        source, program = self.folder / "layout.c", self.folder / "layout"
        source.write_text("#include <ooze/ooze.h>\n#include <stdio.h>\nint main(void)\n{\n" +
                          "\n".join(lines) + "\n}\n")
        compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$",
                             (BUILD / "CMakeCache.txt").read_text(), re.M)[1]
        subprocess.run([compiler, "-I", ROOT / "include", source, "-o", program], check=True)
        theirs = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        self.assertEqual(theirs.split("\n")[:-1], ours)

    def test_sources_are_of_the_oldest_python(self):
        """The version that pyproject.toml requires: its syntax, and exceptions without the
        keywords that came with 3.10."""
        project = (ROOT / "python/pyproject.toml").read_text()
        oldest = re.search(r'requires-python = ">=3\.(\d+)"', project)
        sources = sorted((ROOT / "python/ooze").rglob("*.py"))
        self.assertGreater(len(sources), 10)
        for source in sources:
            tree = ast.parse(source.read_text(), feature_version=(3, int(oldest[1])))
            for node in ast.walk(tree):
                name = node.func.id if isinstance(node, ast.Call) and \
                    isinstance(node.func, ast.Name) else ""
                if name in ("AttributeError", "NameError"):
                    self.assertFalse(node.keywords, f"{source}:{node.lineno}")

    def test_versions_agree(self):
        text = (ROOT / "CMakeLists.txt").read_text()
        self.assertEqual(ooze.__version__,
                         re.search(r"project\(ooze VERSION ([\d.]+)", text)[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
