import Foundation
import Measuring
import Reports
import RunRecords

/// How often the rule fires on a noise model, computed independently of this code.
///
/// Source: measuring §9, item 1: n = 20, minimum effect 2.5 %, 20,000 draws.
struct ReferenceRates: Sendable {
    static let drawCount = 20_000

    var model: NoiseModel
    var rates: [Entry]

    /// The rates at a true slowdown, as a share: of the first look, and of both looks.
    struct Entry: Sendable {
        var slowdown: Double
        var first: Rate
        var both: Rate
    }

    /// A rate as it was printed: its number of digits shows how it was rounded.
    struct Rate: Sendable, ExpressibleByStringLiteral {
        var value: Double
        var rounding: Double

        init(stringLiteral text: String) {
            value = Double(text) ?? .nan
            rounding = 0.5 * pow(10, -Double(text.split(separator: ".").last?.count ?? 0))
        }
    }

    private init(_ model: NoiseModel, first: [Rate], both: [Rate]) {
        self.model = model
        rates = zip([0, 0.03, 0.05, 0.08], zip(first, both)).map {
            Entry(slowdown: $0, first: $1.0, both: $1.1)
        }
    }

    static let all = [
        ReferenceRates(
            .pinned, first: [".0000", ".997", "1.00", "1.00"],
            both: [".0000", ".994", "1.00", "1.00"]),
        ReferenceRates(
            .writeAheadLog, first: [".0000", ".83", "1.00", "1.00"],
            both: [".0000", ".68", "1.00", "1.00"]),
        ReferenceRates(
            .backToBack, first: [".0000", ".92", ".996", ".998"],
            both: [".0000", ".84", ".991", ".996"]),
        ReferenceRates(
            .contended, first: [".0058", ".26", ".69", ".97"], both: [".0000", ".07", ".47", ".94"]),
        ReferenceRates(
            .contendedCPU, first: [".0015", ".60", ".99", "1.00"],
            both: [".0000", ".36", ".97", "1.00"]),
        ReferenceRates(
            .sync, first: [".0069", ".03", ".05", ".11"], both: [".0000", ".00", ".00", ".01"]),
    ]
}
