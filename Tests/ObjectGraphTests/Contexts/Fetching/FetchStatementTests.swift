import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Statements of fetches (§3.6, §3.7)` {
    private static let fixture = Result { try FetchFixture() }

    // Serialized: the tests share the fixture, whose recorder gets every statement.
    @Test(.serialized, arguments: FetchShape.all)
    func `a request runs these (§3.7.1, §3.7.2, §3.7.5, §3.7.10, §3.7.12)`(
        shape: FetchShape
    ) throws {
        let fixture = try Self.fixture.get()
        let context = fixture.context()
        try context.performAndWait {
            var request = FetchRequest(entityName: shape.entity)
            try shape.change(&request)
            let statements = try fixture.recorder.statements {
                switch shape.resultType {
                case .managedObject: _ = Array(try context.fetch(request, as: ManagedObject.self))
                case .managedObjectID: _ = try context.fetchObjectIDs(request)
                case .dictionary: _ = try context.fetchDictionaries(request)
                case .count: _ = try context.count(for: request)
                }
            }
            #expect(statements == shape.statements)
        }
    }

    @Test func `requests of one shape share a statement, whatever they compare with`() throws {
        let fixture = try FetchFixture()
        let context = fixture.context()
        let store = fixture.coordinator.records[0].store
        let before = store.statistics
        try context.performAndWait {
            for number in 0..<1_000 {
                let request = FetchRequest(
                    entityName: "Author",
                    predicate: try ObjectPredicate(
                        "birthYear > %d AND name BEGINSWITH %@", number, "Author \(number)"))
                _ = try context.fetchObjectIDs(request)
            }
        }
        #expect(store.statistics.statementsRun - before.statementsRun == 1_000)
        #expect(store.statistics.statementsPrepared - before.statementsPrepared == 1)
    }

    @Test func `the explanation tells the statement that is run first`() throws {
        let fixture = try FetchFixture()
        let context = fixture.context()
        try context.performAndWait {
            for shape in FetchShape.all {
                var request = FetchRequest(entityName: shape.entity)
                try shape.change(&request)
                let explanation = try context.explain(request, resultType: shape.resultType)[0]
                let values = explanation.bindings.map {
                    ObjectExpression.constant($0).predicateFormat
                }
                #expect(
                    explanation.sql == shape.statements[0].components(separatedBy: " ← ")[0],
                    "\(shape.testDescription)")
                #expect(
                    values.joined(separator: ", ").replacing("\"", with: "'")
                        == shape.statements[0].components(separatedBy: " ← ").dropFirst().joined(),
                    "\(shape.testDescription)")
            }
        }
    }
}
