import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Encoded and decoded (§2.14)` {
    private typealias Item = Shop.Item

    @Test func `an encoded graph is decoded into an equal one (§2.14.15)`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let start = generator.seed
        for _ in 0..<60 {
            let (first, second) = (try StoreFixture.shop(), try StoreFixture.shop())
            let depth = Int.random(in: 1...4, using: &generator)
            let seed = generator.next()
            let parts = try first.run { context in
                var random = SeededGenerator(seed: seed)
                try Self.fill(context, &random)
                if Bool.random(using: &random) { try context.save() }
                return try Self.parts(of: context, depth: depth)
            }
            let graph = try first.run { try Self.graph(of: $0) }
            try second.run { context in
                // Twice, which finds everything but the remarks, and replaces these.
                for _ in 0..<2 {
                    // First, since the others refer to items by their codes.
                    try context.decode(Item.self, parts[1])
                    try context.decode(Shop.Maker.self, parts[0])
                    try context.decode(Shop.Label.self, parts[2])
                    for remark in try Shop.Remark.all(in: context)
                    where remark[Shop.Remark.item] == nil { context.delete(remark) }
                    try context.save()
                    let found = try Self.graph(of: context)
                    #expect(found == graph, "TEST_SEED=\(start)")
                }
            }
        }
    }

    /// All makers, items and labels. Only items have their remarks with them.
    private static func parts(
        of context: ManagedObjectContext, depth: Int
    ) throws -> [String] {
        [
            try json(Shop.Maker.all(in: context), [.relationshipDepth: 0]),
            try json(Item.all(in: context), [.relationshipDepth: depth]),
            try json(Shop.Label.all(in: context), [.relationshipDepth: 0]),
        ]
    }

    /// The graph as text: each object with its values and relationships, sorted by unique values.
    private static func graph(of context: ManagedObjectContext) throws -> [String] {
        let makers = try Shop.Maker.all(in: context).map { maker in
            let values = "\(maker[Shop.Maker.founded] as Any) \(maker[Shop.Maker.motto] as Any)"
            return "\(maker[Shop.Maker.name]) \(values)"
        }
        let items = try Item.all(in: context).map { item in
            let remarks = item[Item.remarks].map {
                "\($0[Shop.Remark.text]) \($0[Shop.Remark.stars])"
            }
            let labels = item[Item.labels].map { $0[Shop.Label.name] }
            let values = "\(item[Item.title]) \(item[Item.price] as Any)"
            let seconds = (item as? Shop.Disc).map { $0[Shop.Disc.seconds] } as Any
            let maker = item[Item.maker].map { $0[Shop.Maker.name] } as Any
            return "\(item[Item.code]) \(values) \(seconds) \(maker) \(labels) \(remarks)"
        }
        let labels = try Shop.Label.all(in: context).map { label in
            "\(label[Shop.Label.name]) \(Set(label[Shop.Label.items].map { $0[Item.code] }).sorted())"
        }
        return makers.sorted() + items.sorted() + labels.sorted()
    }

    private static func fill(
        _ context: ManagedObjectContext, _ random: inout SeededGenerator
    ) throws {
        func maybe<Value>(_ value: Value) -> Value? {
            Bool.random(using: &random) ? value : nil
        }
        let makers = (0..<3).map { number in
            let maker = Shop.Maker(context: context)
            maker[Shop.Maker.name] = "maker \(number) é\"\\"
            maker[Shop.Maker.founded] = maybe(
                Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random)))
            maker[Shop.Maker.motto] = maybe("m\(number)")
            return maker
        }
        let labels = (0..<4).map { number in
            let label = Shop.Label(context: context)
            label[Shop.Label.name] = "label \(number)"
            return label
        }
        for number in 0..<Int.random(in: 0...8, using: &random) {
            let disc = maybe(Shop.Disc(context: context))
            let item = disc ?? Item(context: context)
            if disc != nil { disc![Shop.Disc.seconds] = maybe(number) }
            item[Item.code] = number
            item[Item.title] = "item \(number)"
            // Quarters, which double precision holds exactly.
            item[Item.price] = maybe(Decimal(Int.random(in: 0...9999, using: &random)) / 4)
            item[Item.maker] = maybe(makers.randomElement(using: &random)!)
            item[Item.labels] = labels.shuffled(using: &random).filter { _ in
                Bool.random(using: &random)
            }
            item[Item.remarks] = (0..<Int.random(in: 0...2, using: &random)).map { place in
                let remark = Shop.Remark(context: context)
                remark[Shop.Remark.text] = "\(number).\(place)"
                remark[Shop.Remark.stars] = place
                return remark
            }
        }
        // `maybe` has made discs that are not used.
        for disc in try Shop.Disc.all(in: context) where disc[Item.title] == "" {
            context.delete(disc)
        }
        context.processPendingChanges()
    }
}
