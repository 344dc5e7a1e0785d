import Foundation
import ObjectGraph

/// A list that a delegate keeps by applying what a controller reports, and nothing else.
public protocol ResultMirror: FetchedResultsControllerDelegate<ManagedObject>
where Object == ManagedObject {
    /// Takes the content after a fetch.
    func restart(_ controller: FetchedResultsController<ManagedObject>)

    /// The sections; one without a name if the shape has none.
    var content: [MirroredSection] { get }

    /// What a report said that the list contradicts.
    var contradictions: [String] { get }
}

/// The name and the identifiers of a section.
public struct MirroredSection: Sendable, Hashable {
    public let name: String
    public internal(set) var objectIDs: [ManagedObjectID]

    init(name: String, objectIDs: [ManagedObjectID]) {
        self.name = name
        self.objectIDs = objectIDs
    }
}

extension FetchedResultsSnapshot {
    public var mirrored: [MirroredSection] {
        sections.map { MirroredSection(name: $0.name, objectIDs: $0.objectIDs) }
    }
}

/// Applies single changes, as a table view does.
public final class ChangeMirror: FetchedResultsChangeDelegate, ResultMirror {
    public typealias Object = ManagedObject

    public private(set) var sections: [(name: String, objects: [ManagedObject])] = []
    public private(set) var calls: [String] = []
    public private(set) var contradictions: [String] = []
    public var onWillChange: () -> Void = {}
    public var onDidChange: () -> Void = {}
    public private(set) var errors: [any Error] = []

    private var sectionChanges: [(String, FetchedResultsSectionChange)] = []
    private var changes: [(ManagedObject, FetchedResultsChange)] = []

    public init() {}

    /// The calls since the last time.
    public func takeCalls() -> [String] {
        defer { calls = [] }
        return calls
    }

    public var content: [MirroredSection] {
        sections.map { section in
            MirroredSection(name: section.name, objectIDs: section.objects.map(\.objectID))
        }
    }

    public func restart(_ controller: FetchedResultsController<ManagedObject>) {
        sections = (controller.sections ?? []).map { ($0.name, $0.objects) }
    }

    public func controllerWillChangeContent(_ controller: FetchedResultsController<ManagedObject>) {
        calls.append("will")
        onWillChange()
        let ids = (controller.sections ?? []).map { $0.objects.map(\.objectID) }
        if ids != sections.map({ $0.objects.map(\.objectID) }) {
            contradictions.append("The content is not old before the change.")
        }
        (sectionChanges, changes) = ([], [])
    }

    public func controller(
        _ controller: FetchedResultsController<ManagedObject>,
        didChange section: FetchedResultsSection<ManagedObject>,
        _ change: FetchedResultsSectionChange
    ) {
        calls.append("section '\(section.name)' \(section.numberOfObjects) \(change)")
        if !changes.isEmpty { contradictions.append("A section changed after an object.") }
        sectionChanges.append((section.name, change))
    }

    public func controller(
        _ controller: FetchedResultsController<ManagedObject>, didChange object: ManagedObject,
        _ change: FetchedResultsChange
    ) {
        calls.append(change.text)
        changes.append((object, change))
    }

    public func controllerDidChangeContent(_ controller: FetchedResultsController<ManagedObject>) {
        calls.append("did")
        var old: [(Int, Int, ManagedObject)] = []
        var new: [(Int, Int, ManagedObject)] = []
        for (object, change) in changes {
            switch change {
            case .insert(let path): new.append((path.section, path.item, object))
            case .delete(let path): old.append((path.section, path.item, object))
            case .move(let from, let to):
                old.append((from.section, from.item, object))
                new.append((to.section, to.item, object))
            case .update(let path, _):
                if self.object(at: path) !== object {
                    contradictions.append("An updated object was not at its old path.")
                }
            }
        }
        for (section, item, object) in old.sorted(by: { ($0.0, $0.1) > ($1.0, $1.1) }) {
            guard self.object(at: IndexPath(item: item, section: section)) === object else {
                contradictions.append("An object was not at its old path.")
                continue
            }
            sections[section].objects.remove(at: item)
        }
        for case (let name, .delete(let index)) in sectionChanges.reversed() {
            guard sections.indices.contains(index), sections[index].name == name,
                sections[index].objects.isEmpty
            else {
                contradictions.append("The section '\(name)' was not empty at its old index.")
                continue
            }
            sections.remove(at: index)
        }
        for case (let name, .insert(let index)) in sectionChanges {
            if index > sections.count { contradictions.append("A section's index is too great.") }
            sections.insert((name, []), at: min(index, sections.count))
        }
        for (section, item, object) in new.sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }) {
            guard sections.indices.contains(section), item <= sections[section].objects.count
            else {
                contradictions.append("An object cannot be at its new path.")
                continue
            }
            sections[section].objects.insert(object, at: item)
        }
        for case (let object, .update(_, let path)) in changes
        where self.object(at: path) !== object {
            contradictions.append("An updated object is not at its new path.")
        }
        onDidChange()
    }

    private func object(at path: IndexPath) -> ManagedObject? {
        guard sections.indices.contains(path.section),
            sections[path.section].objects.indices.contains(path.item)
        else { return nil }
        return sections[path.section].objects[path.item]
    }

    public func controller(
        _ controller: FetchedResultsController<ManagedObject>, didFailWith error: any Error
    ) {
        errors.append(error)
    }
}

/// Keeps the last snapshot.
public final class SnapshotMirror: FetchedResultsSnapshotDelegate, ResultMirror {
    public typealias Object = ManagedObject

    public private(set) var snapshots: [FetchedResultsSnapshot] = []
    public var contradictions: [String] { [] }

    public init() {}

    public var content: [MirroredSection] { snapshots.last?.mirrored ?? [] }

    public func restart(_ controller: FetchedResultsController<ManagedObject>) {}

    public func controller(
        _ controller: FetchedResultsController<ManagedObject>,
        didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {
        snapshots.append(snapshot)
    }

    public private(set) var errors: [any Error] = []

    public func controller(
        _ controller: FetchedResultsController<ManagedObject>, didFailWith error: any Error
    ) {
        errors.append(error)
    }
}

/// Applies differences.
public final class DifferenceMirror: FetchedResultsDifferenceDelegate, ResultMirror {
    public typealias Object = ManagedObject

    public private(set) var ids: [ManagedObjectID] = []
    public private(set) var differences: [CollectionDifference<ManagedObjectID>] = []
    public private(set) var contradictions: [String] = []

    public init() {}

    public var content: [MirroredSection] { [MirroredSection(name: "", objectIDs: ids)] }

    public func restart(_ controller: FetchedResultsController<ManagedObject>) {
        ids = controller.snapshot?.objectIDs ?? []
    }

    public func controller(
        _ controller: FetchedResultsController<ManagedObject>,
        didChangeContentWith difference: CollectionDifference<ManagedObjectID>
    ) {
        differences.append(difference)
        for case .remove(let offset, let id, _) in difference.removals where ids[offset] != id {
            contradictions.append("\(id) is not at \(offset).")
        }
        if let applied = ids.applying(difference) {
            ids = applied
        } else {
            contradictions.append("The difference cannot be applied.")
        }
    }

    public private(set) var errors: [any Error] = []

    public func controller(
        _ controller: FetchedResultsController<ManagedObject>, didFailWith error: any Error
    ) {
        errors.append(error)
    }
}

extension FetchedResultsChange {
    /// `move 0.1 → 1.0`, section before item.
    fileprivate var text: String {
        func text(_ path: IndexPath) -> String { "\(path.section).\(path.item)" }
        return switch self {
        case .insert(let path): "insert \(text(path))"
        case .delete(let path): "delete \(text(path))"
        case .move(let old, let new): "move \(text(old)) → \(text(new))"
        case .update(let old, let new): "update \(text(old)) → \(text(new))"
        }
    }
}
