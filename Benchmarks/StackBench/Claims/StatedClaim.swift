import Foundation
import RunRecords

// How a file in Benchmarks/Claims states what was published, and who answers it:
//
//     schema: 1
//     claims:
//       - id: refetch-after-import
//         claim: After a large import, fetching again is faster than merging.
//         source: { author: Apple, year: 2013, title: WWDC session 211 }
//         published: recommended, without figures
//         basis: engine                  # or arrangement
//         elsewhere: Apple's merge …     # how another engine may differ; required with basis: engine
//         asks:
//           - file: list                 # Benchmarks/Workloads/list.yml
//             question: list-refetch.refetch
//             value: shared-no-merge     # compared with the question's baseline
//             expect: less               # or more, same
//             ratio: 0.2                 # the published one; leave it out if there is none
//             factor: 3                  # it is reproduced within this factor; 2 by default
//             where: { subject: shared } # only these cells
//             at: { changes: 10000 }     # where the ratio was published; everywhere by default
//       - id: …
//         notAskable: The reason, instead of asks.

/// A published claim as its file states it, with the workloads that its questions belong to.
struct StatedClaim {
    let claim: Claim
    let workloads: [Workload]
}

extension StatedClaim {
    /// Reads all files of Benchmarks/Claims in the order of their names.
    ///
    /// - Throws: ``ConfigurationError`` with file, line, key and the allowed values.
    static func all() throws -> [StatedClaim] {
        var cache: [String: [Workload]] = [:]
        let claims = try WorkloadFiles.claims().flatMap { file in
            try ConfigurationNode.documents(in: file).flatMap { document in
                let entries = try document.mapping(allowing: ["schema", "claims"])
                try entries.requireSchema()
                return try entries.required("claims").list().map {
                    try StatedClaim(reading: $0, &cache)
                }
            }
        }
        let names = Dictionary(grouping: claims, by: \.claim.id)
        if let twice = names.first(where: { $0.value.count > 1 })?.key {
            throw BenchFailure(
                exitCode: .usage, message: "two claims have the id \"\(twice)\"; rename one")
        }
        return claims
    }

    private init(reading node: ConfigurationNode, _ cache: inout [String: [Workload]]) throws {
        let entries = try node.mapping(allowing: [
            "id", "claim", "source", "published", "basis", "elsewhere", "asks", "notAskable",
        ])
        let source = try entries.required("source").mapping(allowing: ["author", "year", "title"])
        guard (entries["asks"] == nil) != (entries["notAskable"] == nil) else {
            throw node.error("must have either asks or notAskable")
        }
        var asks: [Claim.Ask] = []
        var workloads: [Workload] = []
        for element in try entries["asks"]?.list() ?? [] {
            let (ask, workload) = try Self.ask(element, &cache)
            asks.append(ask)
            if !workloads.contains(where: { $0.name == workload.name }) {
                workloads.append(workload)
            }
        }
        let basis: Claim.Basis = try entries.required("basis").choice("basis")
        guard basis == .arrangement || entries["elsewhere"] != nil else {
            throw node.error("depends on the engine; say elsewhere how another may differ")
        }
        claim = Claim(
            id: try entries.required("id").string(),
            sentence: try entries.required("claim").string(),
            source: Claim.Source(
                author: try source.required("author").string(),
                year: try source["year"]?.integer(in: 1990...2100),
                title: try source.required("title").string()),
            published: try entries.required("published").string(), asks: asks,
            obstacle: try entries["notAskable"]?.string(),
            basis: basis,
            elsewhere: try entries["elsewhere"]?.string())
        self.workloads = workloads
    }

    private static func ask(
        _ node: ConfigurationNode, _ cache: inout [String: [Workload]]
    ) throws -> (Claim.Ask, Workload) {
        let entries = try node.mapping(allowing: [
            "file", "question", "value", "expect", "ratio", "factor", "where", "at",
        ])
        let file = try entries.required("file").string()
        let known = try cache[file] ?? Workload.load(file: WorkloadFiles.named("\(file).yml"))
        cache[file] = known
        let questionNode = try entries.required("question")
        let allowed = known.flatMap { workload in
            workload.questions.map { "\(workload.name).\($0.id)" }
        }
        let name = try questionNode.choice("question", of: allowed)
        let workload = known.first { name.hasPrefix("\($0.name).") }!
        let question = workload.questions.first { "\(workload.name).\($0.id)" == name }!
        guard question.contests.allSatisfy({ $0.baseline != nil }) else {
            throw questionNode.error("\(name) has no baseline; add against to the question")
        }
        let value = try entries.required("value").choice(
            question.axis, of: question.contests.flatMap(\.values).uniqued)
        let expected: Claim.Expectation = try entries.required("expect").choice("direction")
        let ratio = try entries["ratio"]?.number(in: 0.000_001...1_000_000)
        if let ratio, expected == .same || (expected == .less) != (ratio < 1) {
            throw entries["ratio"]!.error("\(ratio) does not fit expect: \(expected)")
        }
        return (
            Claim.Ask(
                workload: workload.name, question: question.id, value: value, expected: expected,
                ratio: ratio, factor: try entries["factor"]?.number(in: 1.01...1_000) ?? 2,
                scope: try entries["where"].map { try values($0, workload) } ?? [:],
                conditions: try entries["at"].map { try values($0, workload) } ?? [:]),
            workload
        )
    }

    /// Reads values of the things in which the cells of a workload differ.
    private static func values(
        _ node: ConfigurationNode, _ workload: Workload
    ) throws -> [String: String] {
        var axes = workload.parameters.filter { $0.value.count > 1 }
        axes["subject"] = workload.subjects.map(\.name)
        axes["lockPolicy"] = workload.lockPolicies
        let entries = try node.mapping(allowing: axes.keys.sorted())
        return try axes.reduce(into: [:]) { values, axis in
            values[axis.key] = try entries[axis.key]?.choice("value", of: axis.value)
        }
    }
}
