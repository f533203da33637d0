"""The source ``git``: the history of a repository of laws, one file a law and one commit a change, as versions."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Annotated, cast

from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.statutes.reading.markup import LARGEST
from legalir.statutes.sources.history import History

_SETTINGS = {"GIT_ALLOW_PROTOCOL": "none", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
"""No address is fetched, nothing is written, nobody is asked."""

_COMMIT = re.compile(rb"[0-9a-f]{40,64}")
_MOST = 200_000


class GitHistory(History):
    """The versions of the files of a repository, as :class:`History` makes them of files in a folder.

    The objects are read by git's plumbing: no hook, filter, external diff or program of the repository is run, nothing
    is checked out, and a bare repository will do. The name of a version is the path of its file, the author's day and
    the commit; a file without dates of its own applies from that day. Deletions and merges are not read.

    Raises:
        DataError: it is not a repository, git is not installed or refuses, or there are more than 200 000 versions.
    """

    component = "git"
    files: Annotated[str, "pattern of the paths of the files in the repository: ``es/*.md``; ``*`` is any path"] = (
        "*.md"
    )
    branch: Annotated[str, "the branch, tag or commit whose history is read"] = "HEAD"

    def _named_files(self, root: Path, unpacked: ExitStack) -> Iterator[tuple[Path, str]]:
        """Write each version of each file to a temporary folder; yield its path there and its name."""
        folder = Path(unpacked.enter_context(TemporaryDirectory(prefix="legalir-")))
        versions = list(self._versions())
        if len(versions) > _MOST:
            raise DataError(f"{self._path} has {len(versions)} versions; the limit is {_MOST}: give files= a pattern.")
        with self._git("cat-file", "--batch") as reader:
            send, answer = cast(IO[bytes], reader.stdin), cast(IO[bytes], reader.stdout)
            for number, (path, blob, day, commit) in enumerate(versions):
                send.write(blob + b"\n")
                send.flush()
                size = int(answer.readline().split()[-1])
                name = f"{path}@{day}-{commit[:10].decode()}"
                if size > LARGEST:
                    raise DataError(f"{name} has {size / 2**20:.0f} MB; the limit is {LARGEST / 2**20:.0f} MB.")
                copy = folder / str(number) / PurePosixPath(path).name
                copy.parent.mkdir()
                copy.write_bytes(answer.read(size + 1)[:-1])
                yield copy, name

    def _versions(self) -> Iterator[tuple[str, bytes, str, bytes]]:
        """Yield path, object, author's day and commit of each version of each file, the oldest first."""
        listed = self._output(
            "rev-list", "--reverse", "--date=short", "--format=%H %ad", "--end-of-options", self.branch
        )
        days = dict(line.split() for line in listed.splitlines() if not line.startswith(b"commit "))
        command = ("diff-tree", "--stdin", "--root", "-r", "-z", "--no-renames", "--no-ext-diff", "--diff-filter=AM")
        commit, entry = b"", b""
        for token in self._output(*command, given=b"".join(each + b"\n" for each in days)).split(b"\0"):
            if entry:
                path = token.decode("utf-8", "surrogateescape")
                mode, blob = entry.split()[1], entry.split()[3]
                if mode.startswith(b"100") and fnmatchcase(path, self.files):  # no links, no submodules
                    yield path.encode("utf-8", "replace").decode(), blob, days[commit].decode(), commit
                entry = b""
            elif token.startswith(b":"):
                entry = token
            elif _COMMIT.fullmatch(token.strip()):
                commit = token.strip()

    def _output(self, *command: str, given: bytes = b"") -> bytes:
        with self._git(*command) as process:
            output, error = process.communicate(given)
        if process.returncode:
            words = error.decode("utf-8", "replace").strip().splitlines() or ["git failed"]
            raise DataError(f"{self._path} cannot be read by git: {words[0]}")
        return output

    def _git(self, *command: str) -> subprocess.Popen[bytes]:
        folder = self._path / ".git" if (self._path / ".git").exists() else self._path
        if not (folder.is_file() or (folder / "objects").is_dir()):
            raise DataError(f"{self._path} is not a git repository: name the folder with .git, or a bare one.")
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        where = ["-C", str(self._path)] if folder.is_file() else [f"--git-dir={folder}"]
        try:
            return subprocess.Popen(
                ["git", *where, "--no-pager", *command],
                env=clean | _SETTINGS,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except FileNotFoundError:
            raise DataError("git is not installed, so a repository cannot be read: install it.") from None


git = factory_of(
    GitHistory,
    'The history of a repository of laws, one commit a change, as versions: ``git(path="legalize-es/")``.',
)
