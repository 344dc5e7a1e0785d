import Foundation
import TestSupport

@testable import ObjectGraph

/// A view whose lists are followed while it, a child and another context change things at random.
///
/// Lists have any condition, order, sections and batch size, also by values of related objects and
/// of composite attributes. After each step, each list and what its delegate was told equal the
/// list of a new controller.
final class ListScript: @unchecked Sendable {
    // @unchecked Sendable: each script runs on one thread.

    let view: ManagedObjectContext
    let other: ManagedObjectContext

    /// Between the store and the view; nil if the view is directly on the coordinator.
    let middle: ManagedObjectContext?
    let mergesAutomatically: Bool
    var generator: SeededGenerator
    var number = 0
    private(set) var log: [String] = []
    private var lists: [FollowedList] = []
    private let faults = Recorder<any Error>()

    /// Objects that the view holds for a while.
    private var held: [ManagedObject] = []

    static func fixture() throws -> StoreFixture { try StoreFixture(ListModel.make()) }

    init(_ fixture: StoreFixture, seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        other = fixture.makeContext()
        middle = Int.random(in: 0..<4, using: &generator) == 0 ? fixture.makeContext() : nil
        view =
            middle.map { ManagedObjectContext(.privateQueue, parent: $0) } ?? fixture.makeContext()
        mergesAutomatically = middle != nil || Bool.random(using: &generator)
        for context in [other, middle, view].compactMap(\.self) {
            context.performAndWait { context.mergePolicy = .mergeByPropertyObjectTrump }
        }
        middle?.automaticallyMergesChangesFromParent = true
        view.automaticallyMergesChangesFromParent = mergesAutomatically
        let (hasUndo, propagates, retains) = (chance(3), !chance(4), chance(3))
        let faults = faults
        view.performAndWait {
            if hasUndo { view.undoManager = UndoManager() }
            view.propagatesDeletesAtEndOfEvent = propagates
            view.retainsRegisteredObjects = retains
            view.faultHandler = { _, error in faults.values.append(error) }
        }
        note("middle \(middle != nil), automatic \(mergesAutomatically), propagates \(propagates)")
        try other.performAndWait {
            for group in try other.all("Group") { other.delete(group) }
            for item in try other.all("Item") { other.delete(item) }
            for (place, title) in ["g1", "g2", "G3", nil].enumerated() {
                try other.insert("Group", ["title": title as Any, "place": place])
            }
            let groups = try groups(of: other)
            for _ in 0..<Int.random(in: 5..<50, using: &generator) {
                try insertItem(in: other, groups)
            }
            try other.save()
        }
        try view.performAndWait { for _ in 0..<3 { try addList() } }
    }

    func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &generator) == 0 }

    func note(_ step: String) { log.append(step) }

    // MARK: - Lists

    private func addList() throws {
        let list: FollowedList
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: list = FollowedList(request(section: nil), nil, DifferenceMirror(), view)
        case 1:
            let section = section()
            list = FollowedList(request(section: section), section, SnapshotMirror(), view)
        default:
            let section = section()
            list = FollowedList(request(section: section), section, ChangeMirror(), view)
        }
        try list.performFetch()
        lists.append(list)
    }

    private func section() -> String? {
        guard !chance(3) else { return nil }
        return ["flag", "name", "rank", "group.title", "place.col", "when"]
            .randomElement(using: &generator)
    }

    private func request(section: String?) -> FetchRequest {
        var keys = section.map { [SortKey($0, ascending: chance(2))] } ?? []
        let names = [
            "rank", "name", "flag", "when", "group.title", "place.row", "weight", "place.col",
            "group.place",
        ]
        for _ in 0..<Int.random(in: 0..<3, using: &generator) {
            let name = names.randomElement(using: &generator)!
            keys.append(
                SortKey(
                    name, ascending: chance(2),
                    comparison: name == "name" && chance(3) ? .caseInsensitive : .binary))
        }
        keys.append(SortKey("key", ascending: chance(2)))
        var request = FetchRequest(entityName: "Item", sortKeys: keys)
        if !chance(4) {
            request.predicate = ListModel.predicates.randomElement(using: &generator)
        }
        if chance(2) { request.fetchBatchSize = Int.random(in: 1...7, using: &generator) }
        if chance(6) { request.includesSubentities = false }
        if chance(6) { request.returnsObjectsAsFaults = false }
        if chance(6) { request.includesPropertyValues = false }
        if chance(8) { request.relationshipKeyPathsForPrefetching = ["group"] }
        return request
    }

    // MARK: - Running

    func run(stepCount: Int) throws {
        try compare()
        for _ in 0..<stepCount {
            try step()
            try compare()
        }
        view.performAndWait { (lists, held) = ([], []) }
    }

    private func compare() throws {
        // Twice, since what the middle merges the view merges afterwards.
        for context in [middle, view, middle, view].compactMap(\.self) { context.performAndWait {} }
        try view.performAndWait {
            view.processPendingChanges()
            for list in lists { try list.compare() }
        }
        if let fault = faults.values.first { throw fault }
    }

    private func step() throws {
        switch Int.random(in: 0..<24, using: &generator) {
        case 0...5: try changeView()
        case 6: try view.performAndWait { try insertItem(in: view, groups(of: view)) }
        case 7: try deleteItems()
        case 8: try saveView()
        case 9:
            note("rollback")
            view.performAndWait { view.rollback() }
        case 10:
            note("undo or redo")
            let undoes = chance(2)
            view.performAndWait { undoes ? view.undo() : view.redo() }
        case 11...13: try saveOther()
        case 14: try executeBatch()
        case 15: try saveChild()
        case 16: try refresh()
        case 17: try fetchOtherwise()
        case 18 where chance(3):
            note("reset")
            try view.performAndWait {
                view.reset()
                for list in lists { try list.performFetch() }
            }
        case 19 where chance(3): try changeGroup(isDeletion: true)
        case 20, 21: try changeGroup(isDeletion: false)
        case 22:
            let holds = chance(2)
            try view.performAndWait { held = holds ? try view.all("Item") : [] }
        default:
            note("obtain permanent identifiers")
            try view.performAndWait {
                try view.obtainPermanentIDs(for: Array(view.insertedObjects))
            }
        }
    }

    private func fetchOtherwise() throws {
        note("another request")
        let list = lists.randomElement(using: &generator)!
        let request = request(section: list.section)
        try view.performAndWait {
            list.controller.fetchRequest = request
            try list.performFetch()
        }
    }
}

/// A controller with a delegate, compared with a new controller.
private final class FollowedList: @unchecked Sendable {
    // @unchecked Sendable: used on the queue of the view only.

    let controller: FetchedResultsController<ManagedObject>
    let section: String?
    private let mirror: any ResultMirror

    init(
        _ request: FetchRequest, _ section: String?, _ mirror: some ResultMirror,
        _ context: ManagedObjectContext
    ) {
        controller = FetchedResultsController(
            request, in: context, sectionedBy: section.map { .keyPath($0) })
        self.section = section
        self.mirror = mirror
        controller.delegate = mirror
    }

    func performFetch() throws {
        try controller.performFetch()
        mirror.restart(controller)
    }

    struct Difference: Error, CustomStringConvertible { let description: String }

    func compare() throws {
        var request = controller.fetchRequest
        let fresh = FetchedResultsController<ManagedObject>(
            request, in: controller.context, sectionedBy: controller.sectionExpression)
        try fresh.performFetch()
        try require(controller.snapshot?.mirrored, "content", fresh)
        let (objects, expected) = (controller.fetchedObjects ?? [], fresh.fetchedObjects ?? [])
        guard objects.elementsEqual(expected, by: ===) else {
            throw Difference(description: "Other objects: \(describe(fresh))")
        }
        try require(mirror.content, "reports", fresh)
        guard mirror.contradictions.isEmpty, mirror.failures.isEmpty else {
            throw Difference(
                description: "\(mirror.contradictions) \(mirror.failures): \(describe(fresh))")
        }
        for object in objects.prefix(5) {
            let path = controller.indexPath(for: object)
            guard try path.map({ try controller.object(at: $0) }) === object else {
                throw Difference(description: "The path \(path as Any) leads elsewhere.")
            }
        }
        // The order of a fetch, unless it depends on unsaved values of other objects.
        let readsOthers =
            (request.sortKeys.map(\.keyPath) + [section ?? ""]).contains { $0.hasPrefix("group") }
        guard !readsOthers else { return }
        request.fetchBatchSize = 0
        let fetched = Array(
            try controller.context.fetch(request, as: ManagedObject.self))
        guard fetched.elementsEqual(objects, by: ===) else {
            throw Difference(description: "A fetch gives another order: \(describe(fresh))")
        }
    }

    private func require(
        _ found: [MirroredSection]?, _ what: String,
        _ fresh: FetchedResultsController<ManagedObject>
    ) throws {
        guard found != fresh.snapshot?.mirrored else { return }
        throw Difference(
            description: """
                The \(what) of \(describe(fresh)): wrong.
                found \(String(describing: found))
                """)
    }

    private func describe(_ fresh: FetchedResultsController<ManagedObject>) -> String {
        let request = controller.fetchRequest
        let keys = request.sortKeys.map { "\($0.keyPath)\($0.isAscending ? "+" : "-")" }
        func text(_ controller: FetchedResultsController<ManagedObject>) -> String {
            (controller.sections ?? []).map { section in
                "\(section.name): \(section.objects.map { $0.attribute("key") })"
            }.joined(separator: ", ")
        }
        return """
            \(type(of: mirror)), \(request.predicate?.predicateFormat ?? "all"), by \(keys), \
            sections \(section ?? "none"), batches of \(request.fetchBatchSize), \
            subentities \(request.includesSubentities)
            content  \(text(controller))
            expected \(text(fresh))
            """
    }
}

extension ResultMirror {
    fileprivate var failures: [any Error] {
        (self as? ChangeMirror)?.errors ?? (self as? SnapshotMirror)?.errors
            ?? (self as? DifferenceMirror)?.errors ?? []
    }
}

/// The model of the lists: items with values of many types, subentities, and groups.
enum ListModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Item",
                attributes: [
                    .init("key", .integer64, isOptional: false, defaultValue: 0),
                    .init("name", .string), .init("rank", .integer32),
                    .init("flag", .boolean, isOptional: false, defaultValue: false),
                    .init("when", .date), .init("weight", .double),
                    .init(
                        "place", .composite,
                        elements: [.init("row", .integer16), .init("col", .string)]),
                    .init("temp", .string, isTransient: true),
                ],
                relationships: [
                    .toOne("group", "Group", inverse: "items"),
                    .toMany("peers", "Item", inverse: "peerOf"),
                    .toMany("peerOf", "Item", inverse: "peers"),
                ]),
            EntityDescription(
                name: "Sub", superentity: "Item", attributes: [.init("extra", .integer16)]),
            EntityDescription(
                name: "Group",
                attributes: [.init("title", .string), .init("place", .integer64)],
                relationships: [
                    .toMany("items", "Item", inverse: "group", deleteRule: .cascade)
                ]),
        ])
    }

    static let predicates: [ObjectPredicate] = [
        "rank > 2", "name BEGINSWITH 'a'", "name BEGINSWITH[cd] 'a'", "flag == YES",
        "group == nil", "rank BETWEEN {1, 4} AND flag == NO", "name == nil OR rank < 3",
        "place.row >= 2", "place != nil", "rank IN {1, 2, 5}", "entity.name == 'Sub'",
        "name CONTAINS 'b'", "when > CAST(2, 'NSDate')",
    ].compactMap { try? ObjectPredicate($0) }
}
