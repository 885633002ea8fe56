"""Every tag of the page is closed, in order:  python3 tags.py PAGE"""
import sys
from html.parser import HTMLParser

VOID = {"meta", "input", "br"}
faults = []


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            faults.append(f"{self.getpos()}: <{tag}> has an attribute twice")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            faults.append(f"{self.getpos()}: </{tag}> closes something else")


tags = Tags()
with open(sys.argv[1], encoding="utf-8") as page:
    tags.feed(page.read())
tags.close()
faults += [f"<{tag}> is not closed" for tag in tags.open]
print("\n".join(faults[:20]), file=sys.stderr)
sys.exit(1 if faults else 0)
