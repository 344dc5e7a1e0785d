#!/usr/bin/env python3
"""Recomputes the ratios of a kept run of `bench claims` from its samples, without StackBench.

    results/claims/check.py results/claims/DATE [QUESTION...]

For each finding of verdict.json it pairs the samples of the two cells by round, and prints the median of the
rounds' ratios, the share of rounds on the verdict's side of 1, and the ratio that the verdict states. As in the
verdicts, values below the question's sameBelow count as that, and counts are increased by 1. Ends with 1 if a
difference is called whose median is outside the stated interval, or that a sign test does not show (z below 2).
Counts that were taken once, in a process of their own, are not in the samples and are left out.
"""
import csv, gzip, json, os, statistics, sys

folder, questions = sys.argv[1], sys.argv[2:]
packed = os.path.join(folder, "samples.csv.gz")
text = gzip.open(packed, "rt") if os.path.exists(packed) else open(os.path.join(folder, "samples.csv"))
samples = {}
for row in csv.DictReader(text):
    cell = "/".join(part for part in (row["subject"], row["lockPolicy"], row["parameters"]) if part)
    samples.setdefault((row["workload"], cell), {})[row["repetition"]] = row

faults = 0
for question in json.load(open(os.path.join(folder, "verdict.json")))["questions"]:
    if questions and question["id"] not in questions:
        continue
    workload, metric = question["id"].split(".")[0], question["metric"]
    for contest in question["contests"]:
        for finding in contest["findings"]:
            one, other = (samples.get((workload, cell), {}) for cell in (finding["cell"], contest["reference"]))
            floor, offset = question.get("sameBelow", 0), 1 if question["unit"] == "count" else 0
            value = lambda row: max(float(row[metric]), floor) + offset
            rounds = [r for r in one if r in other and one[r].get(metric) and other[r].get(metric)]
            pairs = [(value(one[r]), value(other[r])) for r in rounds]
            ratios = [a / b for a, b in pairs if a > 0 and b > 0]
            if not ratios or not finding.get("ratio"):
                continue
            median, stated, verdict = statistics.median(ratios), finding["ratio"], finding["verdict"]
            share = sum((r > 1) == (stated > 1) for r in ratios) / len(ratios)
            inside = finding.get("lower", 0) * 0.999 <= median <= finding.get("upper", float("inf")) * 1.001
            isFault = verdict in ("faster", "slower", "less", "more") and (
                (2 * share - 1) * len(ratios) ** 0.5 < 2 or not inside)
            faults += isFault
            print(f"{question['id']:36} {finding['cell'][:46]:46} {verdict:11} stated {stated:9.3f}  "
                  f"median {median:9.3f}  {share:4.0%} of {len(ratios)} rounds{'  differs' if isFault else ''}")
sys.exit(1 if faults else 0)
