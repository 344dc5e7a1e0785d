import Foundation

extension Statistics {
    /// The two-sided p value of Welch's t test that two groups have the same mean. `nil` with fewer
    /// than 2 values in a group, 0 or 1 if neither group varies.
    ///
    /// Assumes nearly normal means, which measured times do not have: for hints only. Source:
    /// Welch, "The generalization of Student's problem" (1947).
    public static func welchTest(_ first: [Double], _ second: [Double]) -> Double? {
        guard min(first.count, second.count) >= 2 else { return nil }
        let (one, other) = (meanAndError(first), meanAndError(second))
        let error = one.error + other.error
        guard error > 0 else { return one.mean == other.mean ? 1 : 0 }
        let t = (one.mean - other.mean) / error.squareRoot()
        let freedom =
            error * error
            / (one.error * one.error / Double(first.count - 1)
                + other.error * other.error / Double(second.count - 1))
        return studentTail(t, freedom: freedom)
    }

    /// The mean, and the square of its standard error.
    private static func meanAndError(_ values: [Double]) -> (mean: Double, error: Double) {
        let (mean, deviation) = meanAndDeviation(values[...])
        return (mean, deviation * deviation / Double(values.count))
    }

    /// The two-sided p value of Student's t test that two groups of one distribution have the same
    /// mean. `nil` if one is empty or both together have fewer than 3 values, 0 or 1 if neither
    /// varies.
    ///
    /// Source: Student, "The probable error of a mean" (1908), with the variance of both groups
    /// together.
    static func studentTest(_ first: ArraySlice<Double>, _ second: ArraySlice<Double>) -> Double? {
        let (n, m) = (Double(first.count), Double(second.count))
        guard min(n, m) >= 1, n + m > 2 else { return nil }
        let means = (first.reduce(0, +) / n, second.reduce(0, +) / m)
        let squares =
            first.reduce(0) { $0 + ($1 - means.0) * ($1 - means.0) }
            + second.reduce(0) { $0 + ($1 - means.1) * ($1 - means.1) }
        guard squares > 0 else { return means.0 == means.1 ? 1 : 0 }
        let error = squares / (n + m - 2) * (1 / n + 1 / m)
        return studentTail((means.0 - means.1) / error.squareRoot(), freedom: n + m - 2)
    }

    /// The t that Student's variable exceeds with this probability, which is above 0 and at most
    /// one half.
    public static func studentQuantile(tail: Double, freedom: Double) -> Double {
        var (low, high) = (0.0, 1.0)
        while studentTail(high, freedom: freedom) / 2 > tail { (low, high) = (high, 2 * high) }
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if studentTail(middle, freedom: freedom) / 2 > tail {
                low = middle
            } else {
                high = middle
            }
        }
        return high
    }

    /// P(|T| ≥ |t|) of Student's distribution: I(ν/(ν+t²); ν/2, ½).
    private static func studentTail(_ t: Double, freedom: Double) -> Double {
        incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5)
    }

    /// The regularised incomplete beta function I(x; a, b).
    private static func incompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
        guard x > 0, x < 1 else { return x <= 0 ? 0 : 1 }
        // The fraction converges quickly only on this side.
        return x < (a + 1) / (a + b + 2) ? betaFraction(x, a, b) : 1 - betaFraction(1 - x, b, a)
    }

    /// The continued fraction of I(x; a, b). Source: DLMF 8.17.22, evaluated by Lentz's method.
    private static func betaFraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
        let logBeta: Double = lgamma(a) + lgamma(b) - lgamma(a + b)
        let logPower: Double = a * log(x) + b * log(1 - x)
        let front: Double = exp(logPower - logBeta) / a
        let tiny = 1e-300
        var c: Double = 1
        var d: Double = 0
        var value: Double = 1
        for step in 0..<500 {
            let m = Double(step / 2)
            let place: Double = a + 2 * m
            var term: Double = 1
            if step > 0, step.isMultiple(of: 2) {
                term = m * (b - m) * x
                term /= (place - 1) * place
            } else if step > 0 {
                term = -(a + m) * (a + b + m) * x
                term /= place * (place + 1)
            }
            d = 1 + term * d
            d = 1 / (abs(d) < tiny ? tiny : d)
            c = 1 + term / c
            if abs(c) < tiny { c = tiny }
            value *= c * d
            if step > 0, abs(c * d - 1) < 1e-14 { break }
        }
        return front * (value - 1)
    }
}
