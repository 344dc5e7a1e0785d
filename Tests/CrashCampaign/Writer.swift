import Dispatch
import Foundation
import ObjectGraph
import Stacks

/// The process that is killed: it saves for ever, and acknowledges each save when it has returned.
enum Writer {
    /// Announced before the store is opened.
    static let ready = "ready"

    static func run(_ kind: StackKind, _ configuration: StackConfiguration) -> Never {
        // Merges into the view need a main queue that runs.
        DispatchQueue.global().async {
            do {
                acknowledge(ready)
                let stack = try kind.make(configuration)
                let worker = try stack.makeWorkerContext()
                var number = try worker.performAndWait { try Journal.lastSave(in: worker) }
                while true {
                    number += 1
                    try worker.performAndWait { [number] in try Journal.write(number, in: worker) }
                    try stack.saveToDisk(worker)
                    acknowledge("\(number)")
                }
            } catch { fail(error) }
        }
        dispatchMain()
    }

    /// Opens a store, makes it if it is new, saves one object and ends.
    static func addTag(_ configuration: StackConfiguration) -> Never {
        do {
            let stack = try StackKind.single.make(configuration)
            let worker = try stack.makeWorkerContext()
            try worker.performAndWait {
                _ = Tag(context: worker)
                try worker.save()
            }
            try stack.close()
        } catch { fail(error) }
        exit(0)
    }

    private static func fail(_ error: any Error) -> Never {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    }

    private static func acknowledge(_ text: String) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }
}
