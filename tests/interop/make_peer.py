"""Makes the virtual environment of a Python peer, and prints the path of its interpreter.

    python3 make_peer.py FOLDER

The name of the folder says which peer: `requirements/` has a file for each. A complete environment is used again.
Several processes may ask for the same folder at once: one makes it, the others wait. Needs nothing but the standard
library, and PyPI the first time.
"""

import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements")


def main(folder):
    requirements = REQUIREMENTS / (folder.name + ".txt")
    if not requirements.exists():
        sys.exit(f"there is no peer {folder.name}: {requirements} is missing")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_name(folder.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        python = folder / "bin" / "python"
        if not is_complete(folder, python, requirements):
            make(folder, python, requirements)
    print(python)


def is_complete(folder, python, requirements):
    mark = folder / "complete"
    return mark.exists() and mark.read_text() == version(requirements) and works(python, requirements)


def works(python, requirements):
    """Whether everything that is required can be imported, by the names of the packages."""
    lines = requirements.read_text().splitlines()
    names = [re.match(r"[\w-]+", line)[0] for line in lines if line and not line.startswith("#")]
    check = [python, "-c", "import " + ", ".join(names)]
    return python.exists() and subprocess.run(check, stdin=subprocess.DEVNULL).returncode == 0


def make(folder, python, requirements):
    say(f"making the Python peer in {folder}")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        venv.create(folder, with_pip=True, symlinks=True)
    except (ImportError, subprocess.CalledProcessError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        sys.exit(f"python3 cannot make a virtual environment ({error}); on Debian: apt-get install python3-venv")
    say(f"installing {folder.name} from PyPI")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--requirement"]
    if subprocess.run([*install, requirements], stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode != 0:
        sys.exit("pip could not install the Python peer; is PyPI reachable?")
    if not works(python, requirements):
        sys.exit("the Python peer was installed, but cannot be imported")
    (folder / "complete").write_text(version(requirements))


def version(requirements):
    """Changes with the requirements and with the interpreter that made the environment."""
    text = requirements.read_text() + sys.version
    return hashlib.sha256(text.encode()).hexdigest()


def say(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(os.path.abspath(sys.argv[1])))
