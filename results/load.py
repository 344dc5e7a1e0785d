#!/usr/bin/env python3
"""Loads the tables of a run with pandas, as an example and as a test of their format.

    results/load.py FOLDER             prints the median of each cell's time, and each comparison

Needs pandas: `scripts/setup python3-pandas` on Debian, or `pip install pandas`.
"""
import sys

import pandas

TABLES = ["figures.csv", "comparisons.csv", "samples.csv"]


def main():
    folder = sys.argv[1]
    tables = {name: pandas.read_csv(f"{folder}/{name}") for name in TABLES}
    meanings = pandas.read_csv(f"{folder}/columns.csv")
    for name, table in tables.items():
        described = meanings[meanings["file"] == name]["column"]
        assert list(table.columns) == list(described), f"columns.csv does not describe {name}"
        assert (table["schema"] == 4).all(), f"{name} has another schema"
    figures, comparisons = tables["figures.csv"], tables["comparisons.csv"]
    times = figures[(figures["metric"] == "time") & (figures["status"] == "verified")]
    assert (times["value"] > 0).all() and (times["lower"].dropna() <= times["upper"].dropna()).all()
    medians = tables["samples.csv"].groupby(["workload", "cell"])["time"].median()
    for row in times.itertuples():
        assert abs(medians[row.workload, row.cell] - row.value) <= 1e-9 * row.value, row.cell
    print(times[["workload", "cell", "value"]].to_string(index=False))
    if len(comparisons):
        print(comparisons[["workload", "question", "cell", "reference", "ratio", "verdict"]].to_string(index=False))


main()
