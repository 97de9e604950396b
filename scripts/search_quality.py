"""nDCG@10 of `pm search` and of the reference CLI over the questions of the recorded tracker.

The reference is not run: its keyword score is specified to the last number (surfaces.md section 5.3), and is computed here
anew from the items. Whether it was computed rightly the recordings say: for each of them every id, every score and the
number of hits must be the recorded ones, else no figure is printed.
"""

import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SHARED = pathlib.Path("../shared/data")
TRACKER = SHARED / "trackers" / "unbraind+pm-cli"
QUESTIONS = ".agents/pm/search/eval-queries.json"
# Recorded searches without a filter: number, words, and whether all words must be there.
RECORDED = [("062", False), ("063", True), ("067", False)]
WEIGHTS = {
    "title": 48, "description": 5, "tags": 6, "status": 2, "body": 1, "comments": 1, "notes": 1, "learnings": 1,
    "reminders": 2, "events": 2, "dependencies": 3, "plan": 1,
}
ENTRIES = {
    "comments": ["text"], "notes": ["text"], "learnings": ["text"], "reminders": ["text"],
    "events": ["title", "description", "location"], "dependencies": ["id", "kind"],
}
PLAN = {
    "plan_steps": ["title", "body", "evidence"], "plan_decisions": ["decision", "rationale", "evidence"],
    "plan_discoveries": ["text"], "plan_validation": ["text", "command", "expected"],
}
OVER = {"closed", "canceled"}


def answer(pm, folder, *words):
    call = [pm, *words, "--json", "--output-budget", "unbounded", "--output-limit", "unbounded"]
    return json.loads(subprocess.run(call, cwd=folder, check=True, capture_output=True, text=True).stdout)


def items(pm, folder):
    ids = [row["id"] for row in answer(pm, folder, "list", "--all", "--fields", "id")["items"]]
    found = []
    for start in range(0, len(ids), 500):
        found += answer(pm, folder, "get", *ids[start:start + 500], "--full")["items"]
    return found


def folded(text):
    return " ".join(text.lower().split())


def document(item):
    def entries(field, keys):
        return " ".join(str(entry[key]) for entry in item.get(field) or [] for key in keys if entry.get(key))

    texts = {field: item.get(field) or "" for field in ("title", "description", "status", "body")}
    texts["tags"] = " ".join(item.get("tags") or [])
    texts.update({field: entries(field, keys) for field, keys in ENTRIES.items()})
    plan = [entries(field, keys) for field, keys in PLAN.items()] + [item.get("plan_resume_context") or ""]
    texts["plan"] = " ".join(filter(None, plan))
    lower = {field: text.lower() for field, text in texts.items()}
    return item, lower, {field: folded(text) for field, text in texts.items()}


def reference(documents, question, require_all=False):
    """What the reference finds, best first: (id, score)."""
    whole = folded(question)
    tokens = whole.split()
    distinct = set(tokens)
    hits = []
    for item, lower, plain in documents:
        score = 0
        title = re.split("[^a-z0-9]+", lower["title"])
        seen = set()
        for token in tokens:
            exact = title.count(token)
            counts = {field: lower[field].count(token) for field in WEIGHTS}
            score += 10 * exact + sum(counts[field] * weight for field, weight in WEIGHTS.items())
            if exact or any(counts.values()):
                seen.add(token)
        if require_all and seen != distinct:
            continue
        if not require_all and len(distinct) > 1 and seen == distinct:
            score += 40
        if len(tokens) > 1:
            score += 120 if plain["title"] == whole else 0
            score += sum(plain[field].count(whole) * weight * 6 for field, weight in WEIGHTS.items())
        if score > 0:
            hits.append((score, item))
    hits.sort(key=lambda hit: hit[1]["id"])
    hits.sort(key=lambda hit: hit[1]["updated_at"], reverse=True)
    hits.sort(key=lambda hit: (-hit[0], hit[1]["status"] in OVER, hit[1]["priority"]))
    return [(item["id"], score) for score, item in hits]


def check(documents):
    """Compares what is computed here with what the reference was recorded to say."""
    for number, require_all in RECORDED:
        words = json.loads((SHARED / "goldens" / f"{number}.cmd").read_text())[1:]
        first_flag = next(n for n, word in enumerate(words) if word.startswith("-"))
        said = json.loads((SHARED / "goldens" / f"{number}.json").read_text())
        wanted = [(row["id"], row["score"]) for row in said["items"]]
        found = reference(documents, " ".join(words[:first_flag]), require_all)
        if found[:len(wanted)] != wanted or len(found) != said.get("total", len(found)):
            sys.exit(f"search-quality: recording {number} says otherwise than what was computed")


def ndcg(ids, relevant):
    gain = sum(1 / math.log2(rank + 2) for rank, id in enumerate(ids[:10]) if id in relevant)
    return gain / sum(1 / math.log2(rank + 2) for rank in range(min(10, len(relevant))))


def main(pm):
    if not TRACKER.is_dir():
        print("search-quality: skipped, ../shared/data is not there")
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "tracker"
        shutil.copytree(TRACKER, folder)
        subprocess.run(["chmod", "-R", "u+w", folder], check=True)
        documents = [document(item) for item in items(pm, folder)]
        check(documents)
        ours = {row["query"]: row["ndcg"] for row in answer(pm, folder, "eval")["queries"]}
        questions = json.loads((folder / QUESTIONS).read_text())
    rows = []
    for question in questions:
        ids = [id for id, _ in reference(documents, question["query"])]
        rows.append((ours[question["query"]], ndcg(ids, set(question["relevant_ids"])), question["query"]))
    print("   pm  reference  question")
    for own, other, question in rows:
        print(f"{own:5.3f}  {other:9.3f}  {question}")
    mean = [sum(row[n] for row in rows) / len(rows) for n in range(2)]
    print(f"{mean[0]:5.3f}  {mean[1]:9.3f}  nDCG@10, the mean of all")
    if mean[0] <= mean[1]:
        sys.exit("search-quality: the reference ranks better")


if __name__ == "__main__":
    main(sys.argv[1])
