import ObjectGraph

/// A results controller with a delegate whose list must be what a fresh fetch gives.
public final class MirroredResults: @unchecked Sendable {
    // @unchecked Sendable: used on the queue of the controller's context only.

    /// The controller, or the list of its delegate, is wrong.
    public struct Difference: Error, CustomStringConvertible { public let description: String }

    public let controller: FetchedResultsController<ManagedObject>
    private let mirror: any ResultMirror
    private let name: String

    /// The attribute that names the sections; nil for one section.
    private let sectionKey: String?

    public init(
        _ request: FetchRequest, in context: ManagedObjectContext, sectionKey: String?,
        mirror: some ResultMirror
    ) {
        controller = FetchedResultsController(
            request, in: context, sectionedBy: sectionKey.map { .keyPath($0) })
        controller.delegate = mirror
        self.mirror = mirror
        self.sectionKey = sectionKey
        self.name =
            "\(context.name ?? ""), \(type(of: mirror)), sections: \(sectionKey ?? "none"), "
            + "batches of \(request.fetchBatchSize)"
    }

    public func performFetch() throws {
        try controller.performFetch()
        mirror.restart(controller)
    }

    /// - Throws: `Difference` if anything differs from a fresh fetch.
    public func compare() throws {
        let objects = Array(
            try controller.context.fetch(controller.fetchRequest, as: ManagedObject.self))
        var expected: [MirroredSection] = []
        if sectionKey == nil { expected.append(MirroredSection(name: "", objectIDs: [])) }
        for object in objects {
            let name = try sectionName(of: object)
            if expected.last?.name != name {
                expected.append(MirroredSection(name: name, objectIDs: []))
            }
            expected[expected.count - 1].objectIDs.append(object.objectID)
        }
        try require(controller.snapshot?.mirrored == expected, "content", expected)
        try require(mirror.content == expected, "reports", expected)
        try require(mirror.contradictions.isEmpty, "calls", expected)
        for object in objects {
            let path = controller.indexPath(for: object)
            let found = try path.map { try controller.object(at: $0) }
            try require(found === object, "path of \(object.objectID)", expected)
        }
    }

    private func sectionName(of object: ManagedObject) throws -> String {
        guard let sectionKey else { return "" }
        return try object.value(forKey: sectionKey).map { "\($0)" } ?? ""
    }

    private func require(
        _ holds: Bool, _ what: String, _ expected: [MirroredSection]
    ) throws(Difference) {
        guard !holds else { return }
        let calls = (mirror as? ChangeMirror)?.calls.suffix(20) ?? []
        throw Difference(
            description: """
                The \(what) of \(name): wrong.
                expected \(expected)
                content \(String(describing: controller.snapshot?.mirrored))
                reports \(mirror.content)
                \(mirror.contradictions) \(calls)
                """)
    }
}
