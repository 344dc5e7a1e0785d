import Foundation
import TestSupport

@testable import ObjectGraph

/// Contexts that change things at random, and controllers whose delegates must keep up.
///
/// A root context, another one on the same store, and a child of the root, each save of which is
/// merged into the others at once. After each step, all mirrors equal a fresh fetch.
final class ResultScript: @unchecked Sendable {
    // @unchecked Sendable: each script runs on one thread.

    private let root: ManagedObjectContext
    private let other: ManagedObjectContext
    private let child: ManagedObjectContext
    private let hasChild: Bool
    private let isStored: Bool
    private var generator: SeededGenerator
    private var subjects: [MirroredResults] = []
    private var merges: [Observation] = []
    private var saved: [ObjectChanges] = []
    private(set) var log: [String] = []
    private var number = 0

    /// Whether the root has unsaved changes that did not come from its child.
    private var rootChangedItself = false

    /// The contexts that had deleted objects after a merge since their last save.
    private var hasMergedDeletions: Set<String> = []

    static func fixture(inMemory: Bool) throws -> StoreFixture {
        try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing",
                    attributes: [
                        AttributeDescription("group", .string),
                        AttributeDescription("rank", .integer32, defaultValue: 0),
                        AttributeDescription("number", .integer32, defaultValue: 0),
                        AttributeDescription("isShown", .boolean, defaultValue: true),
                        AttributeDescription("note", .string),
                    ])
            ]), inMemory: inMemory)
    }

    init(_ fixture: StoreFixture, seed: UInt64, isStored: Bool) throws {
        generator = SeededGenerator(seed: seed)
        root = ManagedObjectContext(
            .privateQueue, coordinator: fixture.coordinator, name: "root")
        other = ManagedObjectContext(
            .privateQueue, coordinator: fixture.coordinator, name: "other")
        child = ManagedObjectContext(.privateQueue, parent: root, name: "child")
        self.isStored = isStored
        hasChild = Bool.random(using: &generator)
        for context in [root, other, child] {
            context.performAndWait { context.mergePolicy = .overwrite }
        }
        try other.performAndWait {
            for object in try other.all("Thing") { other.delete(object) }
            for _ in 0..<Int.random(in: 0...6, using: &generator) { try insert(in: other) }
            try other.save()
        }
        root.performAndWait { root.undoManager = UndoManager() }
        for context in [root, other] {
            merges.append(
                context.observe { [unowned self] in
                    if case .didSave(let changes) = $0 { saved.append(changes) }
                })
        }
        try addSubjects(to: root)
        if hasChild { try addSubjects(to: child) }
    }

    // MARK: - Controllers

    private func addSubjects(to context: ManagedObjectContext) throws {
        try context.performAndWait {
            for hasSections in [false, true] {
                for batchSize in [0, 3] {
                    try add(ChangeMirror(), context, hasSections, batchSize)
                }
                try add(SnapshotMirror(), context, hasSections, 0)
            }
            try add(DifferenceMirror(), context, false, 0)
            try add(DifferenceMirror(), context, false, 2)
        }
    }

    private func add(
        _ mirror: some ResultMirror, _ context: ManagedObjectContext, _ hasSections: Bool,
        _ batchSize: Int
    ) throws {
        let keys = ["rank", "number"].map { SortKey.ascending($0) }
        var request = FetchRequest(
            entityName: "Thing", predicate: try ObjectPredicate("isShown == YES"),
            sortKeys: hasSections
                ? [SortKey("group", ascending: Bool.random(using: &generator))] + keys : keys)
        request.fetchBatchSize = batchSize
        let subject = MirroredResults(
            request, in: context, sectionKey: hasSections ? "group" : nil, mirror: mirror)
        subjects.append(subject)
        try subject.performFetch()
    }

    // MARK: - Steps

    func run(stepCount: Int) throws {
        try compare()
        for _ in 0..<stepCount {
            let contexts = hasChild ? [root, child] : [root, other]
            let context = contexts.randomElement(using: &generator)!
            try context.performAndWait { try step(in: context) }
            try mergeSaves()
            try compare()
        }
    }

    private func name(of context: ManagedObjectContext) -> String { context.name ?? "" }

    private func step(in context: ManagedObjectContext) throws {
        // The child sees unsaved changes of its parent without an event, so only one of them makes
        // some at a time.
        if hasChild, context === child, root.performAndWait({ root.hasChanges }) {
            try root.performAndWait { try save(root) }
            return
        }
        if hasChild, context === root, child.performAndWait({ child.hasChanges }) {
            try child.performAndWait { try save(child) }
            return
        }
        // Nor does it take new values of objects that it has inserted from the save of its parent.
        if hasChild, context === root, root.hasChanges, !rootChangedItself {
            try save(root)
            return
        }
        defer { if context === root { rootChangedItself = root.hasChanges } }
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<4: try several(in: context) { try insert(in: context) }
        case 4..<11: try several(in: context) { try change(in: context) }
        case 11..<13: try several(in: context) { try delete(in: context) }
        case 13..<16: try save(context)
        // A rollback brings back what a merge has deleted, and deleted objects as they were before
        // a merge, which no row agrees with.
        case 16
        where (context === child || !hasChild) && !hasMergedDeletions.contains(name(of: context)):
            log.append("\(name(of: context)) rolls back")
            context.rollback()
        case 17:
            log.append("\(name(of: context)) refreshes all")
            context.refreshAllObjects()
        case 18 where context === root && !hasChild && hasMergedDeletions.isEmpty:
            log.append("\(name(of: context)) undoes")
            Bool.random(using: &generator) ? context.undo() : context.redo()
        case 19 where !hasChild && isStored && root.performAndWait { root.deletedObjects.isEmpty }:
            try batchUpdate()
        default:
            // A child would not be notified that its parent has lost changes.
            if hasChild, context === root { return }
            guard let thing = try randomThing(in: context) else { return }
            // A new object would lose its number, without which the order is not definite.
            let merges = Bool.random(using: &generator) || thing.isInserted
            log.append("\(name(of: context)) refreshes \(text(thing)), merging: \(merges)")
            context.refresh(thing, mergeChanges: merges)
        }
        context.processPendingChanges()
    }

    private func several(in context: ManagedObjectContext, _ body: () throws -> Void) throws {
        for _ in 0...Int.random(in: 0...3, using: &generator) { try body() }
        if Bool.random(using: &generator) { try change(in: context) }
    }

    private func randomThing(in context: ManagedObjectContext) throws -> ManagedObject? {
        var request = FetchRequest(entityName: "Thing", sortKeys: [.ascending("number")])
        // Sometimes an object that no controller shows.
        request.fetchBatchSize = 0
        return try context.fetch(request, as: ManagedObject.self)
            .randomElement(using: &generator)
    }

    private func text(_ thing: ManagedObject) -> String { "\(thing.attribute("number"))" }

    private func insert(in context: ManagedObjectContext) throws {
        number += 1
        let thing = try context.insert("Thing", ["number": number])
        try setValues(of: thing)
        log.append("\(name(of: context)) inserts \(text(thing))")
    }

    private func change(in context: ManagedObjectContext) throws {
        guard let thing = try randomThing(in: context) else { return }
        log.append("\(name(of: context)) changes \(text(thing))")
        try setValues(of: thing)
    }

    private func setValues(of thing: ManagedObject) throws {
        if Bool.random(using: &generator) {
            try thing.setValue(Int.random(in: 0...3, using: &generator), forKey: "rank")
        }
        if Bool.random(using: &generator) {
            let group = [nil, "", "a", "b", "c"].randomElement(using: &generator)!
            try thing.setValue(group, forKey: "group")
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            try thing.setValue(Bool.random(using: &generator), forKey: "isShown")
        }
        try thing.setValue("\(UInt8.random(in: 0...255, using: &generator))", forKey: "note")
    }

    private func delete(in context: ManagedObjectContext) throws {
        guard let thing = try randomThing(in: context) else { return }
        log.append("\(name(of: context)) deletes \(text(thing))")
        context.delete(thing)
    }

    private func save(_ context: ManagedObjectContext) throws {
        log.append("\(name(of: context)) saves")
        if context === root { rootChangedItself = false }
        hasMergedDeletions.remove(name(of: context))
        try context.save()
        context.processPendingChanges()
    }

    private func batchUpdate() throws {
        // Objects with unsaved changes keep their values here.
        let rank = Int.random(in: 0...3, using: &generator)
        log.append("a batch update sets the rank to \(rank)")
        let request = BatchUpdateRequest(
            entityName: "Thing", predicate: try ObjectPredicate("rank == %@", (rank + 1) % 4),
            propertiesToUpdate: ["rank": .constant(.integer(Int64(rank)))])
        let (root, other) = (root, other)
        try other.performAndWait {
            _ = try other.execute(request, mergingInto: [root, other])
        }
    }

    /// Merges the saves of each context into the others.
    private func mergeSaves() throws {
        let changes = saved
        saved = []
        for changes in changes {
            for context in hasChild ? [root, other, child] : [root, other] {
                let hasDeletions = context.performAndWait {
                    context.mergeChanges(changes)
                    return !context.deletedObjects.isEmpty
                }
                if hasDeletions { hasMergedDeletions.insert(name(of: context)) }
            }
        }
    }

    // MARK: - Comparing

    private func compare() throws {
        // The child sees what its parent has not saved, without an event.
        let isParentAhead = rootChangedItself
        for subject in subjects {
            let context = subject.controller.context
            if isParentAhead, context === child { continue }
            try context.performAndWait { try subject.compare() }
        }
    }
}

extension ManagedObject {
    /// An attribute as text; empty without a value.
    func attribute(_ key: String) -> String {
        ((try? value(forKey: key)) ?? nil).map { "\($0)" } ?? ""
    }
}
