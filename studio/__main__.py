"""`python -m studio [FILE]`: open the window, on a project, a script, or the example.

`python -m studio import FILE -o OUT.retake`: make a project of a script, without a window.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """The studio's entry point; the exit code is the event loop's, or 1 where an import failed."""
    said = list(sys.argv[1:] if arguments is None else arguments)
    if said[:1] == ["import"]:
        return import_script(said[1:])
    parser = argparse.ArgumentParser(prog="retake", description="A studio for drafting spoken dialogue.")
    parser.add_argument("file", nargs="?", type=Path, help="a .retake project, or a script as plain text")
    parser.add_argument("--checkpoint", type=Path, help="the folder of the checkpoint that speaks")
    parser.add_argument("--device", help="cuda, mps or cpu; chosen by itself otherwise")
    parser.add_argument("--precision", choices=("fp32", "bf16", "fp16", "int8"), help="chosen by itself otherwise")
    told = parser.parse_args(said)

    from studio.app import run

    return run(told.file, told.checkpoint, told.device, told.precision)


def import_script(arguments: Sequence[str]) -> int:
    """Reads a foreign file and writes a project; says on the error output why it could not."""
    from studio.document.file import save
    from studio.document.history import History
    from studio.document.importers import read_manuscript
    from studio.document.importers_limits import ImportFailedError
    from studio.document.manuscript import Choices, Remarks, arranged, many

    parser = argparse.ArgumentParser(prog="retake import", description="Make a project of a script.")
    parser.add_argument("file", type=Path, help="text, Fountain, Final Draft, Word, subtitles, CSV, PDF, EPUB")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the project to write, *.retake")
    kinds = [each.value for each in Remarks]
    parser.add_argument("--remarks", choices=kinds, default=kinds[0], help="what becomes of remarks in parentheses")
    parser.add_argument("--action", action="store_true", help="have the narrator tell what is seen")
    told = parser.parse_args(arguments)
    try:
        manuscript = read_manuscript(told.file)
        project = arranged(manuscript, Choices(Remarks(told.remarks), told.action))
        save(told.output, History.start(project, f"Import {told.file.name}"), ())
    except (ImportFailedError, OSError) as error:
        print(f"retake import: {error}", file=sys.stderr)
        return 1
    for notice in manuscript.notices:
        print(notice)
    counts = ((project.scenes, "scene"), (project.lines(), "line"), (project.cast, "character"))
    print(f"{told.output}: {', '.join(many(len(each), word) for each, word in counts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
