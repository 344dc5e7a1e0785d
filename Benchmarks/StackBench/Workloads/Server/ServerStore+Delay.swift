#if PostgreSQL
import ObjectGraph
import Stacks

extension WorkerContext {
    /// Runs the body with a new store on the server, at the distance of the job.
    func withServerStore<Result>(_ body: (ServerStore) throws -> Result) throws -> Result {
        guard let delay = Double(text("delay")) else {
            preconditionFailure("The kind \(job.kind) declares delays that are no numbers.")
        }
        let store = try ServerStore(self, delayMilliseconds: delay)
        let result = try body(store)
        try store.remove()
        return result
    }

    /// Opens the stack of the job on the server, along the measured way.
    func openStack(
        on store: ServerStore, _ model: ManagedObjectModel
    ) throws -> any PersistenceStack {
        let stack = try opening(\.openStack)(store.stackConfiguration(model, configuration))
        _ = try stack.viewContext
        return stack
    }
}

extension WorkloadParameter {
    static let delay = WorkloadParameter(
        name: "delay", values: .choice(["0", "0.5", "5"]), defaultValue: "0",
        summary: "milliseconds that each direction between program and server takes besides")
}

extension Verifier {
    /// Checks the number of items and the sum of their numbers and quantities on the server.
    mutating func checkItems(in store: ServerStore, are items: [ItemRow]) throws {
        let found = try store.integers(
            "SELECT COUNT(*), COALESCE(SUM(ZNUMBER), 0), COALESCE(SUM(ZQUANTITY), 0) FROM ZITEM")
        check("items", found[0], equals: items.count)
        check("numbers", found[1], equals: items.reduce(0) { $0 + Int($1.number) })
        check("quantities", found[2], equals: items.reduce(0) { $0 + Int($1.quantity) })
    }
}
#endif
