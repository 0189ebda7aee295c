"""Makes links for the book: from ids of rules and errata to their pages, and from file names to the repository's site."""

import posixpath
import re

REPOSITORY = "https://github.com/culink/culink/blob/main/"
RULE = re.compile(r"(?<![\w/.\[#*`\"-])((?:[A-Z]+)-\d{3}(?:\.\d+)?)(?![\w\]\"`*-])")
OUTSIDE = re.compile(r"\]\((\.\.(?:/[^)#]+)+)((?:#[^)]*)?)\)")
CODE = re.compile(r"(^```[\s\S]*?^```$|^(?: {4}|\t).*$|`[^`\n]+`)", re.M)

anchors = set()


def on_files(files, config):
    """Reads the ids of the rules."""
    rules = files.get_file_from_path("rules.md")
    anchors.update(re.findall(r'<a id="([^"]+)">', rules.content_string))


def on_page_markdown(markdown, page, config, files):
    folder = posixpath.dirname(page.file.src_path)

    def outside(m):
        path = posixpath.normpath(posixpath.join(folder, m[1]))
        if not path.startswith(".."):
            return m[0]
        return "](" + REPOSITORY + posixpath.normpath(posixpath.join("docs", folder, m[1])) + m[2] + ")"

    def rule(m):
        if m[1] not in anchors or page.file.src_path == "rules.md":
            return m[0]
        return "[%s](%s#%s)" % (m[1], posixpath.relpath("rules.md", folder or "."), m[1])

    parts = CODE.split(markdown)
    for i in range(0, len(parts), 2):
        parts[i] = RULE.sub(rule, OUTSIDE.sub(outside, parts[i]))
    return "".join(parts)
