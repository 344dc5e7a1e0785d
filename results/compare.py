#!/usr/bin/env python3
"""Says how the verdicts of two runs differ, from their verdict.json alone and without StackBench.

    results/compare.py RUN RUN

Prints how many comparisons and claims have another verdict, only moved (a ratio outside the interval of the other
run; without intervals, one further away than the question calls equivalent), stayed, and cannot be compared; then those that changed or moved. `bench compare`
must say the same of files that have neither counts nor rules.
"""
import gzip, json, os, sys


def load(folder):
    path = os.path.join(folder, "verdict.json")
    return json.load(open(path) if os.path.exists(path) else gzip.open(path + ".gz"))


def asked(question):
    return question["metric"], question["sameWithin"], question.get("sameBelow")


def findings(file):
    """By question, label and cell: the conditions, the verdict, the ratio and its interval."""
    found, references = {}, {}
    for question in file.get("questions", []):
        for contest in question["contests"]:
            for finding in contest["findings"]:
                reference = finding.get("reference") or contest.get("reference")
                if reference:
                    interval = (finding["lower"], finding["upper"]) if "lower" in finding else None
                    found[question["id"], contest["label"], finding["cell"]] = (
                        (asked(question), reference), finding["verdict"], finding.get("ratio"), interval)
            found[question["id"], contest["label"], "the best"] = (
                (asked(question),), " ".join(sorted(contest["best"])), None, None)
            references[question["id"], contest["label"]] = contest.get("reference")
    for claim in file.get("claims", []):
        found["claims", "", claim["id"]] = ((), claim["verdict"], None, None)
    return found, references


def is_moved(one, other):
    (_, _, ratio, interval), (_, _, new, newer) = one, other
    if ratio is None or new is None:
        return False
    if not interval and not newer:
        return max(ratio, new) > min(ratio, new) * (1 + one[0][0][1])
    return any(i and not i[0] <= r <= i[1] for r in (ratio, new) for i in (interval, newer))


(one, references), (other, others) = (findings(load(folder)) for folder in sys.argv[1:3])
# The best cells count where only the reference differs.
turned = {group for group in references if references[group] != others.get(group)}
keys = [key for key in dict.fromkeys([*one, *other])]
shared = [key for key in keys if key in one and key in other and one[key][0] == other[key][0]
          and (key[2] != "the best" or key[:2] in turned)]
left_out = [key for key in keys if key[2] != "the best" and not (
    key in one and key in other and one[key][0] == other[key][0])]
changed = [key for key in shared if one[key][1] != other[key][1]]
moved = [key for key in shared if key not in changed and is_moved(one[key], other[key])]
print(f"{len(changed)} of {len(shared)} findings have another verdict, {len(moved)} only moved; "
      f"{len(shared) - len(changed) - len(moved)} are the same. {len(left_out)} cannot be compared.")
for title, some in ("another verdict", changed), ("only moved", moved):
    for key in some:
        print(f"{title}: {', '.join(part for part in key[:2] if part)}: {key[2]}: {one[key][1:3]} then {other[key][1:3]}")
