import Dispatch
import Foundation
import ObjectGraph
import Stacks

/// The process that is killed. It saves forever, and acknowledges each save that has returned.
enum Writer {
    /// Written before the store is opened.
    static let ready = "ready"

    static func run(_ kind: StackKind, _ configuration: StackConfiguration) -> Never {
        // Merges into the view context need a running main queue.
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

    /// Opens a store, creates it if it is new, saves one object and exits.
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
