#!/usr/bin/env python3
"""Checks that what the documents name exists: test_docs_names.py PROJECT_DIR.

Read are README.md, CONTRIBUTING.md and docs/*.md, but not docs/decisions, which are history. Of what stands between
single backticks outside of code blocks, these are checked:
  a path             `src/hull/search.c`, `tests/cases`, `hull/search.c` (of src/), `apart/math.h` (of include/),
                     `figures/lab` (beside the document); a folder may end with a slash, `*` and NAME stand for any name
  a file name        `search.c`, anywhere in the project; the languages of the project only
  an identifier      `ap_hull_support`, `apart_distance()`, `BOUND_ERROR`, in any source: words with an underscore
"""
import glob
import os
import re
import sys

SOURCE_FILE = re.compile(r'[\w.-]+\.(c|h|cpp|sh|py|mjs|ts|cmake)')
IDENTIFIER = re.compile(r'[A-Za-z]\w*_\w*[A-Za-z0-9]')
PATH = re.compile(r'[\w.*-]+/[\w./*-]*')
OF_OTHER_LIBRARIES = ('docs/coming-from.md',)  # of identifiers, only our own are checked here
SKIPPED_FOLDERS = {'.git', 'build', 'node_modules'}
MADE_BY_BUILDING = ('build/', 'libexec/', 'lib/', 'share/')
LANGUAGES = ('.c', '.h', '.cpp', '.hpp', '.js', '.ts', '.mjs', '.py', '.txt', '.cmake', '.in')


def walk(root):
    """The paths of all files, relative to the root."""
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in SKIPPED_FOLDERS]
        for name in files:
            yield os.path.relpath(os.path.join(folder, name), root)


def words_of(root, files):
    """Every identifier in the sources."""
    words = set()
    for path in files:
        if path.endswith(LANGUAGES) and os.path.basename(path) != os.path.basename(__file__):
            with open(os.path.join(root, path), encoding='utf-8', errors='replace') as source:
                words.update(IDENTIFIER.findall(source.read()))
    return words


def quoted(text):
    """(line number, words between single backticks), without code blocks."""
    inside = False
    for number, line in enumerate(text.split('\n'), 1):
        if line.lstrip().startswith('```'):
            inside = not inside
        elif not inside:
            for match in re.finditer(r'`([^`]+)`', line):
                yield number, match.group(1)


class Project:
    def __init__(self, root):
        self.root = root
        files = list(walk(root))
        self.names = {os.path.basename(f) for f in files}
        self.stems = {name.split('.')[0] for name in self.names}
        self.words = words_of(root, files)
        self.tops = set(os.listdir(root))
        self.rooms = set(os.listdir(os.path.join(root, 'src')))

    def has_path(self, document, path):
        pattern = re.sub(r'\bNAME\b|(?<=_)NAME', '*', path)
        beside = os.path.dirname(document)
        return any(glob.glob(os.path.join(self.root, folder, pattern)) for folder in ('', 'src', 'include', beside))

    def is_path(self, document, word):
        """Whether a word with a slash means a file of the project: it has the ending of one, or begins with a folder."""
        if not PATH.fullmatch(word) or word.startswith(MADE_BY_BUILDING):
            return False
        first = word.split('/')[0]
        beside = os.path.join(self.root, os.path.dirname(document), first)
        return bool(SOURCE_FILE.search(word)) or first in self.tops | self.rooms or os.path.isdir(beside)

    def missing(self, document, word):
        """What is wrong with the word, or None."""
        name = word[:-2] if word.endswith('()') else word
        if self.is_path(document, word):
            return None if self.has_path(document, word) else 'no such path'
        if SOURCE_FILE.fullmatch(word):
            return None if word in self.names or 'NAME' in word else 'no file of that name'
        if IDENTIFIER.fullmatch(name) and (name.lower().startswith('ap') or document not in OF_OTHER_LIBRARIES):
            return None if name in self.words or name in self.stems else 'in no source'
        return None


def main():
    root = sys.argv[1]
    project = Project(root)
    documents = ['README.md', 'CONTRIBUTING.md'] + sorted(
        os.path.relpath(f, root) for f in glob.glob(os.path.join(root, 'docs', '*.md')))
    failed = checked = 0
    for document in documents:
        with open(os.path.join(root, document), encoding='utf-8') as file:
            text = file.read()
        for number, word in quoted(text):
            checked += 1
            reason = project.missing(document, word)
            if reason:
                print(f'{document}:{number}: `{word}`: {reason}')
                failed += 1
    print(f'{checked} quoted words in {len(documents)} documents, {failed} missing')
    return 1 if failed or checked < 100 else 0


if __name__ == '__main__':
    sys.exit(main())
