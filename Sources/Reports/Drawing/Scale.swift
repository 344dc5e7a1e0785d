import Foundation
import Measuring
import RunRecords

/// Maps values to places along an axis, in the units of the drawing.
struct Scale {
    enum Kind {
        case linear
        /// Every value must be above 0.
        case logarithmic
    }

    let kind: Kind
    let domain: ClosedRange<Double>
    /// The places of the lower and of the upper bound. A vertical axis runs from high to low.
    let start: Double
    let end: Double

    /// Widens a domain of a single value, so that it lies in the middle.
    init(_ kind: Kind, _ domain: ClosedRange<Double>, from start: Double, to end: Double) {
        self.kind = kind
        self.start = start
        self.end = end
        if domain.lowerBound < domain.upperBound {
            self.domain = domain
        } else if kind == .logarithmic {
            self.domain = domain.lowerBound / 1.25...domain.upperBound * 1.25
        } else {
            let half = domain.lowerBound == 0 ? 1 : abs(domain.lowerBound) / 4
            self.domain = domain.lowerBound - half...domain.upperBound + half
        }
    }

    /// The place of a value; a value outside the domain lies outside the axis.
    func callAsFunction(_ value: Double) -> Double {
        start + share(value) * (end - start)
    }

    /// The place of a value; the end of the axis for a value outside the domain.
    func clamped(_ value: Double) -> Double {
        self(min(max(value, domain.lowerBound), domain.upperBound))
    }

    private func share(_ value: Double) -> Double {
        switch kind {
        case .linear:
            (value - domain.lowerBound) / (domain.upperBound - domain.lowerBound)
        case .logarithmic:
            log(value / domain.lowerBound) / log(domain.upperBound / domain.lowerBound)
        }
    }
}

// MARK: - Ticks

extension Scale {
    /// Round values within the domain, as many as possible with `gap` between their places.
    func ticks(gap: Double) -> [Double] {
        let choices = kind == .linear ? linearChoices : logarithmicChoices
        return choices.lazy.map { ticks in ticks.filter(isInside) }.first { ticks in
            zip(ticks, ticks.dropFirst()).allSatisfy { abs(self($1) - self($0)) >= gap }
        } ?? []
    }

    /// Allows for the rounding error of multiples such as 3 × 0.1.
    private func isInside(_ value: Double) -> Bool {
        let place = (self(value) - start) / (end - start)
        return (-1e-9...1 + 1e-9).contains(place)
    }

    /// Multiples of 1, 2 or 5 times a power of ten, from fine to coarse.
    private var linearChoices: [[Double]] {
        let finest = floor(log10(domain.upperBound - domain.lowerBound)) - 2
        let powers = [0.0, 1, 2, 3].map { pow(10, finest + $0) }
        let steps = powers.flatMap { power in [1.0, 2, 5].map { $0 * power } }
        return steps.map { step in
            let first = (domain.lowerBound / step).rounded(.down)
            let last = (domain.upperBound / step).rounded(.up)
            return stride(from: first, through: last, by: 1).map { $0 * step }
        }
    }

    /// Some digits times powers of ten, from fine to coarse. Below a factor of two, the ticks of a
    /// linear axis.
    private var logarithmicChoices: [[Double]] {
        if domain.upperBound / domain.lowerBound < 2 { return linearChoices }
        let lowest = Int(floor(log10(domain.lowerBound)))
        let powers = lowest...max(lowest, Int(ceil(log10(domain.upperBound))))
        let digits: [[Double]] = [
            [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9], [1, 1.5, 2, 3, 4, 5, 7], [1, 2, 3, 5],
            [1, 2, 5], [1, 3], [1],
        ]
        let sparse = (2...12).map { step in
            powers.filter { $0.isMultiple(of: step) }.map { pow(10, Double($0)) }
        }
        return digits.map { digits in
            powers.flatMap { power in digits.map { $0 * pow(10, Double(power)) } }
        } + sparse
    }
}
