#!/usr/bin/env python3
"""Recomputes the ratios of a kept run of `bench claims` from its samples, without StackBench.

    results/claims/check.py results/claims/DATE [QUESTION...]

For each finding of verdict.json it pairs the samples of the two cells by round, and prints the median of the
rounds' ratios, the share of rounds on the verdict's side of 1, and the ratio that the verdict states. Ends with 1 if a
difference is called whose median is outside the stated interval, or which fewer than three quarters of the rounds
show. Counts that were taken once, in a process of their own, are not in the samples and are left out.
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
            one, other = (samples.get((workload, finding[side] if side == "cell" else contest["reference"]), {})
                          for side in ("cell", "reference"))
            pairs = [(float(one[r][metric]), float(other[r][metric])) for r in one
                     if r in other and one[r].get(metric) and other[r].get(metric)]
            ratios = [a / b for a, b in pairs if a > 0 and b > 0]
            if not ratios or not finding.get("ratio"):
                continue
            median, stated, verdict = statistics.median(ratios), finding["ratio"], finding["verdict"]
            share = sum((r > 1) == (stated > 1) for r in ratios) / len(ratios)
            inside = finding.get("lower", 0) <= median <= finding.get("upper", float("inf"))
            isFault = verdict in ("faster", "slower", "less", "more") and (share < 0.75 or not inside)
            faults += isFault
            print(f"{question['id']:36} {finding['cell'][:46]:46} {verdict:11} stated {stated:9.3f}  "
                  f"median {median:9.3f}  {share:4.0%} of {len(ratios)} rounds{'  differs' if isFault else ''}")
sys.exit(1 if faults else 0)
