import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `A history that is deleted while it is read (§10.4)` {
    @Test(arguments: ["", "token", "transaction", "date"], [1, 2, 100])
    func `no transaction is skipped: the next batch throws (§10.4.18)`(
        _ start: String, _ batchSize: Int
    ) throws {
        let fixture = try HistoryFixture()
        let count = 3 * batchSize + 1
        for number in 0..<count { try fixture.save("Team", "\(number)") }
        let all = try fixture.history()
        let position: PersistentHistoryPosition? =
            switch start {
            case "token": .token(all[0].token)
            case "transaction": .transaction(all[0])
            case "date": .date(all[0].timestamp)
            default: nil
            }
        let other = try fixture.reopened()
        var request = PersistentHistoryRequest(after: position)
        request.fetchBatchSize = batchSize
        fixture.run { [request] context in
            var seen: [Int64] = []
            let error = #expect(throws: StoreError.self) {
                try context.enumerateHistory(request) { transaction in
                    seen.append(transaction.transactionNumber)
                    guard seen.count == 1 else { return }
                    try other.performAndWait {
                        try other.deleteHistory(before: .transaction(all[count - 1]))
                    }
                }
            }
            let first = all.firstIndex { $0.transactionNumber == seen[0] }!
            #expect(seen == all[first..<first + batchSize].map(\.transactionNumber))
            #expect(
                error?.reason
                    == .historyExpired(
                        after: seen.last!, oldest: Int64(count), newest: Int64(count)))
        }
    }

    @Test func `of two stores, the one whose history is deleted throws (§10.4.18)`() throws {
        let fixture = try HistoryFixture()
        var second = PersistentStoreDescription.sqlite(
            at: fixture.store.folder.url("second.sqlite"))
        second.tracksHistory = true
        let other = try fixture.coordinator.addPersistentStore(second)
        for _ in 0..<4 {
            for handle in fixture.coordinator.persistentStores {
                try fixture.run { context in
                    var request = BatchInsertRequest(entityName: "Badge", objects: [[:]])
                    request.affectedStores = [handle.identifier]
                    try context.execute(request)
                }
            }
        }
        let place = PersistentHistoryToken([other.identifier: 4])
        var request = PersistentHistoryRequest()
        request.fetchBatchSize = 1
        fixture.run { [request] context in
            var seen: [String: [Int64]] = [:]
            let error = #expect(throws: StoreError.self) {
                try context.enumerateHistory(request) { transaction in
                    if seen.isEmpty { try context.deleteHistory(before: .token(place)) }
                    seen[transaction.storeID, default: []].append(transaction.transactionNumber)
                }
            }
            #expect(error?.reason == .historyExpired(after: 1, oldest: 4, newest: 4))
            #expect(seen.values.allSatisfy { $0 == Array(1...Int64($0.count)) })
        }
    }

    @Test func `what was read already may be deleted between two batches (§10.4.18)`() throws {
        let fixture = try HistoryFixture()
        for number in 0..<5 { try fixture.save("Team", "\(number)") }
        let other = try fixture.reopened()
        var request = PersistentHistoryRequest()
        request.fetchBatchSize = 2
        try fixture.run { [request] context in
            var seen: [Int64] = []
            try context.enumerateHistory(request) { transaction in
                seen.append(transaction.transactionNumber)
                try other.performAndWait {
                    try other.deleteHistory(before: .transaction(transaction))
                }
            }
            #expect(seen == [1, 2, 3, 4, 5])
        }
    }
}
