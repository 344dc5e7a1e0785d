#if PostgreSQL
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `Many writers of one store in PostgreSQL` {
    @Test func `8 coordinators that count with optimistic locks lose no update (§11.8.29)`() throws
    {
        let fixture = try WritingFixture(
            EntityDescription(
                name: "Counter", attributes: [AttributeDescription("value", .integer64)]))
        try fixture.run { context in
            for _ in 0..<5 { try context.insert("Counter", ["value": 0]) }
            try context.save()
        }
        let (attempts, seed) = (40, SeededGenerator.fromEnvironment().seed)
        let (saved, conflicts) = (Counter(), Counter())
        try onThreads(8) { thread in
            for attempt in 0..<attempts {
                try fixture.run { context in
                    var numbers = SeededGenerator(
                        seed: seed &+ UInt64(thread * attempts + attempt))
                    let counters = try context.all("Counter")
                    for counter in counters.shuffled(using: &numbers).prefix(3) {
                        let value = try #require(try counter.value(forKey: "value") as? Int64)
                        try counter.setValue(value + 1, forKey: "value")
                    }
                    do {
                        try context.save()
                        saved.next()
                    } catch SaveError.mergeConflicts { conflicts.next() }
                }
            }
        }
        #expect(saved.value + conflicts.value == 8 * attempts)
        #expect(
            try fixture.schema.texts("SELECT sum(zvalue) FROM zcounter") == ["\(saved.value * 3)"],
            "TEST_SEED=\(seed)")
        #expect(
            try fixture.schema.texts("SELECT sum(z_opt - 1) FROM zcounter") == [
                "\(saved.value * 3)"
            ])
    }

    @Test func `8 coordinators that insert give no key twice (§11.8.36)`() throws {
        let fixture = try WritingFixture(
            EntityDescription(
                name: "Thing", attributes: [AttributeDescription("name", .string)]),
            EntityDescription(name: "Part", superentity: "Thing"))
        _ = try fixture.coordinator()
        try onThreads(8) { thread in
            let context = try fixture.context()
            try context.performAndWait {
                for number in 0..<20 {
                    for _ in 0...number {
                        try context.insert(
                            thread % 2 == 0 ? "Thing" : "Part", ["name": "\(thread)"])
                    }
                    try context.save()
                }
            }
        }
        #expect(
            try fixture.schema.texts("SELECT count(*) || ' ' || count(DISTINCT z_pk) FROM zthing")
                == ["1680 1680"])
    }

    @Test func `two writers of one unique value are settled by the merge policy`() throws {
        let fixture = try WritingFixture(
            EntityDescription(
                name: "Tag", attributes: [AttributeDescription("name", .string)],
                uniquenessConstraints: [["name"]]))
        _ = try fixture.coordinator()
        try onThreads(8) { _ in
            let context = try fixture.context()
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.performAndWait {
                for number in 0..<10 {
                    try context.insert("Tag", ["name": "tag \(number)"])
                    try context.save()
                }
            }
        }
        #expect(try fixture.schema.texts("SELECT count(*) FROM ztag") == ["10"])
    }

    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let errors = Mutex<[any Error]>([])
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread.detachNewThread {
                do { try body(number) } catch { errors.withLock { $0.append(error) } }
                group.leave()
            }
        }
        group.wait()
        if let error = errors.withLock({ $0.first }) { throw error }
    }
}

final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    /// The number of calls before this one.
    @discardableResult
    func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}
#endif
