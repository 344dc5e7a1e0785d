import RunRecords
import TestSupport
import Testing

/// The verdict on a claim follows from what its comparisons found.
@Suite struct `the verdict on a claim` {
    /// The verdict with two sizes of the data.
    private func verdict(
        expecting expected: Claim.Expectation, ratio: Double? = nil, at size: String? = nil,
        small: Double, large: Double, rounds: Int = 30
    ) -> ClaimVerdict {
        SampleClaim.run(
            expecting: expected, ratio: ratio, at: size,
            seconds: [("small", small), ("large", large)], rounds: rounds
        ).claimResults[0].verdict
    }

    @Test func `is reproduced in the same direction and within the factor`() {
        #expect(verdict(expecting: .less, ratio: 0.2, small: 0.15, large: 0.3) == .reproduced)
    }

    @Test func `is of the direction only if no size was published`() {
        #expect(verdict(expecting: .less, small: 0.5, large: 0.01) == .directionOnly)
    }

    @Test(arguments: [
        // Both sides are below the bound: nothing is known.
        (bound: 3.0, ratio: Double?.none, small: 0.5, expected: ClaimVerdict.undecided),
        // One side is: the ratio is at most 0.4.
        (0.4, nil, 0.1, .directionOnly), (0.4, 0.1, 0.1, .directionOnly),
        (0.4, 0.9, 0.1, .otherSize),
    ])
    func `refutes nothing and finds no size by values under the bound`(
        _ bound: Double, _ ratio: Double?, _ small: Double, _ expected: ClaimVerdict
    ) {
        var run = SampleClaim.run(
            expecting: .less, ratio: ratio, seconds: [("small", small), ("large", small)],
            rounds: 30)
        for workload in run.workloads.indices {
            for question in (run.workloads[workload].questions ?? []).indices {
                run.workloads[workload].questions![question].sameBelow = bound
            }
        }
        #expect(run.claimResults[0].verdict == expected)
    }

    @Test func `names another size beyond the factor`() {
        #expect(verdict(expecting: .less, ratio: 0.2, small: 0.5, large: 0.5) == .otherSize)
        #expect(verdict(expecting: .more, ratio: 100, small: 2, large: 3) == .otherSize)
    }

    @Test func `compares the size only where it was published`() {
        #expect(
            verdict(expecting: .less, ratio: 0.2, at: "small", small: 0.2, large: 0.7)
                == .reproduced)
        #expect(
            verdict(expecting: .less, ratio: 0.2, at: "large", small: 0.2, large: 0.7)
                == .otherSize)
    }

    @Test func `is refuted by the opposite direction and by no difference`() {
        #expect(verdict(expecting: .less, small: 2, large: 3) == .refuted)
        #expect(verdict(expecting: .more, ratio: 3, small: 1, large: 1.01) == .refuted)
        #expect(verdict(expecting: .same, small: 2, large: 2) == .refuted)
    }

    @Test func `reproduces a claim of no difference`() {
        #expect(verdict(expecting: .same, small: 1, large: 1.01) == .reproduced)
    }

    @Test func `is bounded if it holds under some conditions`() {
        #expect(verdict(expecting: .less, small: 0.5, large: 1) == .bounded)
    }

    @Test func `is undecided without enough rounds`() {
        #expect(verdict(expecting: .less, small: 0.8, large: 0.8, rounds: 2) == .undecided)
    }

    @Test func `is not asked for without a comparison`() {
        var run = SampleRun.run([])
        run.claims = [
            Claim(
                id: "claim", sentence: "A ranking.",
                source: Claim.Source(author: "Someone", year: nil, title: "A thread"),
                published: "", asks: [], obstacle: "Nobody can ask this here.",
                basis: .arrangement)
        ]
        #expect(run.claimResults[0].verdict == .notAskable)
    }
}
