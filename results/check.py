#!/usr/bin/env python3
"""Recomputes the ratios of kept runs from their samples, and the figures that documents quote, without StackBench.

    results/check.py                   all kept runs, and the documents
    results/check.py FOLDER            each ratio of one run

For each finding of verdict.json it pairs the samples of the two cells by round, and compares the median of the
rounds' ratios, and the share of rounds on the verdict's side of 1, with the ratio that the verdict states. As in the
verdicts, values below the question's sameBelow count as that, and counts are increased by 1. A fault is a difference
that is called although the median is outside the stated interval, or that a sign test does not show (z below 2).
Counts that were taken once, in a process of their own, are not in the samples and are left out.
Of merged verdicts, each interval must go from the lowest end of the runs' intervals to the highest, each ratio be their
geometric mean, and a verdict be that of all runs.

Each figure of a document that is linked to a claim of a kept run, or to a question of merged ones, must be in what is
said about it there:
within 10 %, or within half of the last digit. So must each ratio in a row of a table whose first cell is linked to a
workload of a kept run. "Nothing" and "no faster" need a cell that is equivalent. What stands
between `<!-- from FILE -->` and `<!-- end -->` is in that file word by word.
Ends with 1 if there is a fault.
"""
import csv, glob, gzip, json, math, os, re, statistics, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENTS = ["README.md", "Documentation/Choosing.md", "Documentation/Measuring.md", "Documentation/Decisions.md"]
WORDS = {"half": 2, "twice": 2, "a third": 3, "a quarter": 4, "a fifth": 5, "a tenth": 10}


def ratios_of(finding, contest, question, samples):
    """The ratios of the rounds that both cells have."""
    workload, metric = question["id"].split(".")[0], question["metric"]
    one, other = (samples.get((workload, cell), {}) for cell in (finding["cell"], finding.get("reference") or contest.get("reference")))
    floor, offset = question.get("sameBelow", 0), 1 if question["unit"] == "count" else 0
    value = lambda row: max(float(row[metric]), floor) + offset
    rounds = [r for r in one if r in other and one[r].get(metric) and other[r].get(metric)]
    pairs = [(value(one[r]), value(other[r])) for r in rounds]
    return [a / b for a, b in pairs if a > 0 and b > 0]


def check_run(folder, shows):
    """Returns the number of comparisons and of faults."""
    verdict_file = json.load(open(os.path.join(folder, "verdict.json")))
    if "runs" in verdict_file:
        return check_merged(folder, verdict_file)
    packed = os.path.join(folder, "samples.csv.gz")
    text = gzip.open(packed, "rt") if os.path.exists(packed) else open(os.path.join(folder, "samples.csv"))
    samples = {}
    for row in csv.DictReader(text):
        # Runs of earlier versions have the parameters as one text.
        cell = row.get("cell") or "/".join(
            part for part in (row["subject"], row["lockPolicy"], row["parameters"]) if part)
        samples.setdefault((row["workload"], cell), {})[row["repetition"]] = row
    count = faults = 0
    for question in verdict_file["questions"]:
        for contest in question["contests"]:
            for finding in contest["findings"]:
                ratios = ratios_of(finding, contest, question, samples)
                if not ratios or not finding.get("ratio"):
                    continue
                median, stated, verdict = statistics.median(ratios), finding["ratio"], finding["verdict"]
                share = sum((r > 1) == (stated > 1) for r in ratios) / len(ratios)
                inside = finding.get("lower", 0) * 0.999 <= median <= finding.get("upper", float("inf")) * 1.001
                is_fault = verdict in ("faster", "slower", "less", "more") and (
                    (2 * share - 1) * len(ratios) ** 0.5 < 2 or not inside)
                count += 1
                faults += is_fault
                if shows or is_fault:
                    print(f"{question['id']:36} {finding['cell'][:46]:46} {verdict:11} stated {stated:9.3f}  "
                          f"median {median:9.3f}  {share:4.0%} of {len(ratios)} rounds{'  differs' if is_fault else ''}")
    return count, faults


def check_merged(folder, merged):
    """Returns the number of comparisons and of faults of verdicts that were merged from the runs beside the folder."""
    def findings(file):
        return {(q["id"], c["label"], f["cell"], f.get("reference") or c.get("reference")): f
                for q in file["questions"] for c in q["contests"] for f in c["findings"]}
    runs = [findings(json.load(open(os.path.join(folder, "..", name, "verdict.json")))) for name in merged["runs"]]
    count = faults = 0
    for key, finding in findings(merged).items():
        own = [run[key] for run in runs]
        verdicts = {f["verdict"] for f in own}
        is_fault = finding["verdict"] != (verdicts.pop() if len(verdicts) == 1 else "undecided")
        if all("lower" in f for f in own):
            mean = math.exp(statistics.mean(math.log(f["ratio"]) for f in own))
            is_fault |= abs(finding["ratio"] / mean - 1) > 1e-9 or finding["lower"] != min(
                f["lower"] for f in own) or finding["upper"] != max(f["upper"] for f in own)
        count += 1
        faults += is_fault
        if is_fault:
            print(f"{key[0]:36} {key[2][:46]:46} {finding['verdict']}  differs from its runs")
    return count, faults


def numbers(text):
    """The figures of a text, each with half of its last digit."""
    text = text.replace(",", "")
    for word, value in WORDS.items():
        if re.search(rf"\b{word}\b", text):
            yield value, 0.1 * value
    for figure in re.findall(r"\d+(?:\.\d+)?", text):
        digits = len(figure.split(".")[1]) if "." in figure else 0
        yield float(figure), 0.5 * 10 ** -digits


def section(path, anchor):
    """The listed lines below the heading of a claim or of a workload."""
    for heading, body in re.findall(r"^###? (.*?)\n(.*?)(?=^###? |\Z)", open(path).read(), re.M | re.S):
        if re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") == anchor:
            return [line for line in body.splitlines() if line.startswith("- ")]
    return None


def words(line):
    """The words of a line, without the padding and the rules of tables."""
    return re.sub(r"[\s|-]+", " ", line).strip()


def check_quotes(name, text):
    """Returns the number of quoted lines and of faults."""
    count = faults = 0
    for source, quote in re.findall(r"<!-- from (\S+) -->\n(.*?)<!-- end -->", text, re.S):
        said = words(open(os.path.join(ROOT, source)).read())
        for part in re.split(r"\n(?=- )|\n\n|\n(?=\|)", quote):
            if not words(part):
                continue
            count += 1
            if words(part) not in said:
                print(f"{name}: not in {source}: {words(part)[:100]}")
                faults += 1
    return count, faults


def check_document(name):
    """Returns the number of figures and of faults."""
    path = os.path.join(ROOT, name)
    count, faults = check_quotes(name, open(path).read())
    links = re.findall(r"\[([^\]]*)\]\(([^)#\s]*(?:claims|merged/summary)\.md)#([\w-]+)\)", open(path).read())
    # A row of a table whose first cell links to a workload of a kept run has that run's ratios.
    for target, anchor, cells in re.findall(
            r"^\| \[[^\]]*\]\(([^)#\s]*summary\.md)#([\w-]+)\)(.*)$", open(path).read(), re.M):
        links += [(text, target, anchor) for text in re.findall(r"[\d.]+(?:×| times)", cells)]
    for text, target, anchor in links:
        lines = section(os.path.join(os.path.dirname(path), target), anchor)
        if lines is None:
            print(f"{name}: [{text}]: there is no claim {anchor} in {target}")
            faults += 1
            continue
        said = " ".join(lines)
        # Ratios and counts, not the sizes that are named beside them.
        said_figures = re.findall(r"([\d,.]+)×", said) + [
            n for pair in re.findall(r"([\d,.]+) instead of ([\d,.]+)", said) for n in pair]
        if target.endswith("summary.md"):
            said_figures += [n for interval in re.findall(r"\[([\d., e-]+)\]", said) for n in interval.split(", ")]
        known = [float(n.replace(",", "").rstrip(".")) for n in said_figures]
        known += [1 / n for n in known if n]
        if re.search(r"\b(nothing|no faster)\b", text):
            count += 1
            if "equivalent" not in said:
                print(f"{name}: [{text}]: no cell is equivalent in {anchor}")
                faults += 1
        for figure, half in numbers(re.sub(r"\bof \d[\d,]*|\b\d[\d,]* changes", "", text)):
            count += 1
            if not any(abs(figure - n) <= max(half, 0.1 * n) for n in known):
                print(f"{name}: [{text}]: {figure:g} is not in {anchor} of {target}")
                faults += 1
    return count, faults


def main():
    if len(sys.argv) > 1:
        sys.exit(1 if check_run(sys.argv[1], True)[1] else 0)
    total = 0
    for verdict in sorted(glob.glob(os.path.join(ROOT, "results", "*", "*", "verdict.json"))):
        folder = os.path.dirname(verdict)
        count, faults = check_run(folder, False)
        total += faults
        print(f"{os.path.relpath(folder, ROOT)}: {count} comparisons, {faults} differ")
    for name in DOCUMENTS:
        count, faults = check_document(name)
        total += faults
        print(f"{name}: {count} figures, {faults} differ")
    sys.exit(1 if total else 0)


main()
