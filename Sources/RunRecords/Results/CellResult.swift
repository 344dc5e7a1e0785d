import Measuring

/// The samples of one subject under one set of parameters.
public struct CellResult: Codable, Hashable, Sendable {
    /// The stack or peer measured, for example "nested" or "grdb".
    public var subject: String
    public var role: SubjectRole
    /// The coordinator's lock policy; `nil` for subjects without one.
    public var lockPolicy: String?
    /// Parameters in which this cell differs from others of its workload.
    public var parameters: [String: String]
    /// In the order in which they were taken.
    public var samples: [Sample]
    /// The counts of one operation, taken in a process of its own; `nil` if it was not counted.
    public var counts: Sample?
    /// Where the time of one more sample went, which was traced; `nil` if none was.
    public var trace: TracedSample?
    public var verification: Verification
    /// Why the cell stopped; `nil` if it did not.
    public var failure: String?
    /// In a merged run the ``Shard/number`` of the machine that measured it; otherwise `nil`.
    /// Figures of cells with different ones are not comparable.
    public var shard: Int?

    public init(
        subject: String, role: SubjectRole, lockPolicy: String? = nil,
        parameters: [String: String] = [:], samples: [Sample] = [],
        verification: Verification = .notApplicable, failure: String? = nil
    ) {
        self.subject = subject
        self.role = role
        self.lockPolicy = lockPolicy
        self.parameters = parameters
        self.samples = samples
        self.verification = verification
        self.failure = failure
    }

    /// Subject, lock policy and parameters as "nested/pooled/fetchBatchSize=20"; threshold rules
    /// match it. Parameters are sorted by name and joined by commas. Absent parts are left out.
    public var identifier: String {
        [subject, lockPolicy, parameters.isEmpty ? nil : parametersText]
            .compactMap(\.self).joined(separator: "/")
    }

    /// The parameters as "fetchBatchSize=20,index=yes", sorted by name.
    var parametersText: String {
        parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            .joined(separator: ",")
    }

    /// Whether the cell may be ranked: it finished, and its answer was not wrong.
    public var isSound: Bool {
        if case .failed = verification { return false }
        return failure == nil
    }

    /// The finite values of a metric, counter or percentile, in order; see ``Sample/value(of:)``.
    ///
    /// Values that no sample measured come from ``counts``, which count all subjects alike. Counts
    /// by the subject itself are used only if those are missing.
    public func values(of name: String) -> [Double] {
        if isCountedApart(name) { return [counts?.value(of: name)].compactMap(\.self) }
        return samples.compactMap { $0.value(of: name) }.filter(\.isFinite)
    }

    /// Whether the value comes from ``counts`` and not from the samples.
    public func isCountedApart(_ name: String) -> Bool {
        counts?.value(of: name) != nil && !samples.contains { $0.metrics[name] != nil }
    }

    /// Whether an open phase of a load offered more than was done; see ``Metric/saturated``.
    public var isSaturated: Bool { values(of: Metric.saturated.name).contains { $0 > 0 } }

    /// The latencies with that name of all samples, merged; `nil` if no sample has any.
    public func mergedLatencies(named name: String) -> LatencyRecorder? {
        let summaries = samples.compactMap { $0.latencies[name] }
        guard !summaries.isEmpty else { return nil }
        return summaries.reduce(into: LatencyRecorder()) { $0.merge(LatencyRecorder($1)) }
    }
}

/// The role of a subject in the comparison.
public enum SubjectRole: String, Codable, Sendable {
    /// One of the competing arrangements.
    case stack
    /// An alternative that serves as a yardstick and is not ranked.
    case peer
}

/// Whether a cell's answer was right.
public enum Verification: Codable, Hashable, Sendable {
    /// The facts that were read back and agreed, for example `["rows": 336_776]`.
    case verified(facts: [String: Fact])
    /// The answer was wrong: the cell is not ranked, and the run exits with 13.
    case failed(reason: String)
    case notApplicable
}

/// A number or text that a verification read back.
public enum Fact: Hashable, Sendable {
    case integer(Int64)
    case text(String)
}

extension Fact: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .text(value) }
}

extension Fact: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        }
    }
}
