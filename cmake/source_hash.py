#!/usr/bin/env python3
"""Hashes what each pass of a kernel is compiled from. cmake/SourceHash.cmake runs it at every build that changed a source.

    cmake/source_hash.py ROOT MANIFEST [HEADER DEPFILE]

Prints "forward HASH" and "backward HASH" ("-": the kernel has no such pass), or writes them as a C++ header, which is left
alone when it says so already, with the files that were read as a depfile.

MANIFEST, written when CMake configures, has one line a source: pass, path from ROOT and compile options, separated by tabs;
"kernel ID" names the kernel, and a source whose path is "-" is options of the whole pass.

What counts: the named sources, all files of the repository that they include, however deep and wherever they lie, and the
sources of the same name beside those headers; compile options of the named sources without warnings. What does not count: comments, white space, the place and name of a file, include lines of
our own files (what they include counts itself), and the order of other include lines.
"""
import hashlib
import os
import re
import sys

PASSES = ("forward", "backward")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.M)
# A literal, which stays as it is, or a comment. Raw strings come first: they may hold anything.
LITERAL_OR_COMMENT = re.compile(r'R"(?P<mark>[^()\\ ]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
                                r"|(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)", re.S)
LITERAL = re.compile(LITERAL_OR_COMMENT.pattern.rsplit("|(?P<comment>", 1)[0], re.S)
WORD = re.compile(r"\w")


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


def without_comments(text):
    return LITERAL_OR_COMMENT.sub(lambda found: " " if found["comment"] else found[0], text)


def squeeze(line, directive):
    """`line` without white space outside literals. Between two words one space stays; in a directive, where "F (x)" and
    "F(x)" differ, everywhere."""
    parts, end = [], 0
    for found in LITERAL.finditer(line):
        parts += [(line[end:found.start()], False), (found[0], True)]
        end = found.end()
    parts.append((line[end:], False))
    out = ""
    for part, literal in parts:
        if literal:
            out += part
        elif directive:
            out += re.sub(r"\s+", " ", part)
        else:
            words = re.split(r"\s+", part)
            for n, word in enumerate(words):
                if n and word and out and WORD.match(out[-1]) and WORD.match(word[0]):
                    out += " "
                out += word
    return out.strip() if directive else out


def normalise(text, own):
    """What a file says. `own`: the names in its include lines that are files of ours."""
    text = without_comments(text.replace("\r\n", "\n"))
    others, lines, code = set(), [], []

    def flush():
        if code:
            lines.append(squeeze("\n".join(code), False))
            code.clear()

    for line in text.replace("\\\n", " ").split("\n"):
        include = INCLUDE.match(line)
        if include:
            if include[1] not in own:
                others.add(include[1])
        elif re.match(r"\s*#", line):
            flush()
            lines.append(squeeze(re.sub(r"^\s*#\s*", "#", line), True))
        else:
            code.append(line)
    flush()
    return "\n".join(sorted(others) + [line for line in lines if line and line != "#pragma once"])


class Sources:
    """Files below `root`, each read and normalised once."""

    def __init__(self, root):
        self.root = root
        self.known = {}  # path: (digest, [included paths])

    def own_file(self, name, beside):
        for path in (os.path.normpath(os.path.join(os.path.dirname(beside), name)), os.path.normpath(name)):
            if not path.startswith("..") and os.path.isfile(os.path.join(self.root, path)):
                return path
        return None

    def defined_beside(self, path):
        """What a header declares is defined in the source of the same name."""
        stem, ending = os.path.splitext(path)
        beside = {stem + other for other in (".cpp", ".cu")} if ending in (".hpp", ".cuh") else set()
        return {source for source in beside if os.path.isfile(os.path.join(self.root, source))}

    def look_at(self, path):
        if path not in self.known:
            text = read(os.path.join(self.root, path))
            own = {name: found for name in INCLUDE.findall(without_comments(text)) if (found := self.own_file(name, path))}
            digest = hashlib.sha256(normalise(text, own).encode()).hexdigest()
            self.known[path] = (digest, sorted(set(own.values()) | self.defined_beside(path)))
        return self.known[path]

    def closure(self, roots):
        seen, waiting = set(), list(roots)
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                waiting += self.look_at(path)[1]
        return seen


def counted(options, source):
    """Compile options that change the code of `source`, as one line: CMake's list without warnings and what is meant for
    another language, as `$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>` is for C++."""
    kept, language = [], "CUDA" if source.endswith(".cu") else "CXX"
    for option in re.split(r"[;\s]+", options):
        only = re.fullmatch(r"\$<\$<COMPILE_LANGUAGE:(\w+)>:(.*)>", option)
        option = option if not only else only[2] if only[1] == language else ""
        if option and not re.match(r"(-Xcompiler=)?-W|-lineinfo$", option):
            kept.append(option)
    return " ".join(kept)


def read_manifest(path):
    """The kernel's id and {pass: [(source, options)]}."""
    kernel, passes = "", {name: [] for name in PASSES}
    for line in read(path).splitlines():
        if line.startswith("kernel "):
            kernel = line[len("kernel "):]
        elif line:
            name, source, options = (line + "\t").split("\t")[:3]
            passes[name].append((source, counted(options, source)))
    return kernel, passes


def hash_of(sources, entries):
    """One pass's hash: of the set of its files by what they say, each with its options. "" without sources."""
    roots = {source: options for source, options in entries if source != "-"}
    if not roots:
        return ""
    facts = [f"{sources.look_at(path)[0]} {roots.get(path, '')}" for path in sources.closure(roots)]
    facts += [f"options {options}" for source, options in entries if source == "-"]
    return hashlib.sha256("\n".join(sorted(facts)).encode()).hexdigest()[:12]


def constant_of(kernel):
    return "k" + "".join(part.capitalize() for part in re.split(r"[\W_]+", kernel))


def header_of(kernel, hashes):
    return (f"// Written by cmake/source_hash.py: what {kernel} is compiled from.\n#pragma once\n\n"
            '#include "kernels/attention/kernel.hpp"\n\nnamespace triscope::source_hash {\n'
            f'inline const SourceHash {constant_of(kernel)}{{"{hashes["forward"]}", "{hashes["backward"]}"}};\n'
            "}  // namespace triscope::source_hash\n")


def write_if_changed(path, text):
    if not os.path.exists(path) or read(path) != text:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    if len(sys.argv) not in (3, 5):
        sys.exit("usage: cmake/source_hash.py ROOT MANIFEST [HEADER DEPFILE]")
    root, manifest = sys.argv[1:3]
    kernel, passes = read_manifest(manifest)
    sources = Sources(root)
    hashes = {name: hash_of(sources, entries) for name, entries in passes.items()}
    if len(sys.argv) == 3:
        for name in PASSES:
            print(name, hashes[name] or "-")
        return
    header, depfile = sys.argv[3:]
    write_if_changed(header, header_of(kernel, hashes))
    read_files = " ".join(os.path.join(root, path).replace(" ", "\\ ") for path in sorted(sources.known))
    write_if_changed(depfile, f"{header}: {read_files}\n")


if __name__ == "__main__":
    main()
