import Foundation
import ObjectGraph
import Stacks
import TestSupport
import Testing

@Suite(.serialized) struct `Laws: Results controllers against fresh fetches` {
    private static let seed = SeededGenerator.fromEnvironment().seed
    private static let scriptCount =
        ProcessInfo.processInfo.environment["TEST_SCRIPTS"].flatMap { Int($0) } ?? 200

    @Test(arguments: LawCase.all)
    func `a controller of the view follows whoever writes (§10.2.1, §10.2.13)`(
        _ lawCase: LawCase
    ) async throws {
        for number in 0..<max(1, Self.scriptCount / LawCase.all.count) {
            var script = try await ResultScript(lawCase, seed: Self.seed &+ UInt64(number))
            do {
                try await script.run(stepCount: 12)
            } catch {
                let log = script.log.joined(separator: "\n")
                Issue.record("TEST_SEED=\(Self.seed), script \(number): \(error)\n\(log)")
                return
            }
        }
    }
}

/// Random writers of a stack, and controllers of its view whose delegates must keep up.
///
/// Workers, batch requests and the view itself change publications. After each step, what the
/// delegates have applied equals a fresh fetch. A view that merges nothing is refreshed and fetched
/// again after what others write, as its stack demands.
private struct ResultScript {
    private enum Step: CaseIterable {
        case write, edit, save, rollBack, refresh, batch
    }

    private let test: StackUnderTest
    private let view: ManagedObjectContext
    private let takesBatches: Bool
    private var generator: SeededGenerator
    private var controllers: [MirroredResults] = []
    private var number = 0
    private(set) var log: [String] = []

    /// Whether something was merged into the view since it last saved while it had deleted objects.
    private var hasMergedDeletions = false

    private var kind: StackKind { test.stack.kind }

    init(_ lawCase: LawCase, seed: UInt64) async throws {
        test = try StackUnderTest(lawCase, mergePolicy: .overwrite)
        view = try test.stack.viewContext
        takesBatches = lawCase.place.isSQL
        generator = SeededGenerator(seed: seed)
        try write(Int.random(in: 0...6, using: &generator), .insert)
        let isAscending = Bool.random(using: &generator)
        controllers = try await test.readView { try Self.controllers(of: $0, isAscending) }
    }

    /// A controller for each shape of delegate, with and without sections and batches.
    private static func controllers(
        of view: ManagedObjectContext, _ isAscending: Bool
    ) throws -> [MirroredResults] {
        var controllers: [MirroredResults] = []
        for sectionKey in [nil, "year"] {
            for batchSize in [0, 3] {
                let section = sectionKey.map { [SortKey($0, ascending: isAscending)] } ?? []
                var request = FetchRequest(
                    entityName: "Publication", predicate: try ObjectPredicate("rating < 3"),
                    sortKeys: section + [.ascending("loanCount"), .ascending("title")])
                request.fetchBatchSize = batchSize
                func add(_ mirror: some ResultMirror) throws {
                    let results = MirroredResults(
                        request, in: view, sectionKey: sectionKey, mirror: mirror)
                    try results.performFetch()
                    controllers.append(results)
                }
                try add(ChangeMirror())
                try add(SnapshotMirror())
                if sectionKey == nil { try add(DifferenceMirror()) }
            }
        }
        return controllers
    }

    mutating func run(stepCount: Int) async throws {
        try await compare()
        for _ in 0..<stepCount {
            try await step()
            try await compare()
        }
    }

    // MARK: - Steps

    private mutating func step() async throws {
        switch Step.allCases.randomElement(using: &generator)! {
        case .write: try await writeInWorker()
        case .edit: try await edit()
        case .save: try await save()
        // A rollback brings back what a merge has deleted, and deleted objects as they were before
        // a merge, which no row agrees with.
        case .rollBack where !hasMergedDeletions: try await rollBack()
        case .refresh:
            log.append("view: refresh all objects")
            await view.perform(schedule: .enqueued) { [view] in view.refreshAllObjects() }
        case .batch where takesBatches: try await batch()
        case .rollBack, .batch: try await edit()
        }
    }

    private mutating func writeInWorker() async throws {
        try await prepareToWrite()
        try write(Int.random(in: 1...4, using: &generator))
        try await afterWriting()
    }

    private mutating func write(_ count: Int, _ kind: Edit.Kind? = nil) throws {
        let edits = randomEdits(count, kind)
        log.append("worker: \(edits)")
        try test.write { try edits.perform(in: $0) }
    }

    private mutating func edit() async throws {
        let edits = randomEdits(Int.random(in: 1...4, using: &generator))
        log.append("view: \(edits)")
        try await view.perform(schedule: .enqueued) { [view] in try edits.perform(in: view) }
    }

    private mutating func save() async throws {
        if kind.traits.contains(.viewOnlyReads) { return try await reset() }
        log.append("view: save")
        try test.stack.saveToDisk(view)
        hasMergedDeletions = false
    }

    private mutating func rollBack() async throws {
        log.append("view: roll back")
        await view.perform(schedule: .enqueued) { [view] in view.rollback() }
        hasMergedDeletions = false
    }

    private mutating func reset() async throws {
        log.append("view: reset and fetch")
        let controllers = controllers
        try await view.perform(schedule: .enqueued) { [view] in
            view.reset()
            for results in controllers { try results.performFetch() }
        }
        hasMergedDeletions = false
    }

    private mutating func batch() async throws {
        try await prepareToWrite()
        let count = Int64.random(in: 0...3, using: &generator)
        let predicate = ObjectPredicate.comparison(
            .init(.keyPath("loanCount"), .equal, .constant(.integer(count))))
        let isDeletion = Int.random(in: 0..<3, using: &generator) == 0
        log.append(isDeletion ? "batch: delete \(count)" : "batch: \(count) becomes \(3 - count)")
        let isMerged = kind.visibility != .afterRefetch && !kind.traits.contains(.followsHistory)
        let levels = isMerged ? Array(sequence(first: view, next: \.parent)) : []
        _ = try await test.stack.performBatch { context in
            if isDeletion {
                try context.execute(
                    BatchDeleteRequest(
                        fetchRequest: FetchRequest(
                            entityName: "Publication", predicate: predicate)),
                    mergingInto: levels)
            } else {
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Publication", predicate: predicate,
                        propertiesToUpdate: ["loanCount": .constant(.integer(3 - count))]),
                    mergingInto: levels)
            }
        }
        try await afterWriting()
    }

    /// A view that merges nothing would find its own changes in conflict with the rows.
    private mutating func prepareToWrite() async throws {
        if kind.visibility == .afterRefetch { try await save() }
    }

    private mutating func afterWriting() async throws {
        try await test.prepareView()
        let (controllers, fetchesAgain) = (controllers, kind.visibility == .afterRefetch)
        let hasDeletions = try await view.perform(schedule: .enqueued) { [view] in
            if fetchesAgain { for results in controllers { try results.performFetch() } }
            return !view.deletedObjects.isEmpty
        }
        if hasDeletions { hasMergedDeletions = true }
    }

    private func compare() async throws {
        let controllers = controllers
        try await test.readView { _ in for results in controllers { try results.compare() } }
    }

    // MARK: - Edits

    private mutating func randomEdits(_ count: Int, _ kind: Edit.Kind? = nil) -> [Edit] {
        (0..<count).map { _ in
            number += 1
            return Edit(
                kind: kind ?? Edit.Kind.allCases.randomElement(using: &generator)!,
                title: "n\(number)", pick: Int.random(in: 0..<1_000, using: &generator),
                year: [nil, 2001, 2002, 2003].randomElement(using: &generator)!,
                loanCount: Int.random(in: 0...3, using: &generator),
                rating: Double(Int.random(in: 0...3, using: &generator)))
        }
    }
}

/// A change of a publication, with values of which each kind uses some.
private struct Edit: Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable {
        case insert, insertMagazine, moveToSection, move, show, touch, changeAll, attribute, delete
        /// Deletes its publications too.
        case deleteAuthor
    }

    let kind: Kind
    let title: String
    /// Selects one of the publications that the context has at first.
    let pick: Int
    let year: Int?
    let loanCount: Int
    let rating: Double

    var description: String {
        "\(kind) \(title) \(pick) \(year.map { "\($0)" } ?? "nil") \(loanCount) \(rating)"
    }

    func perform(in context: ManagedObjectContext, on publications: [Publication]) throws {
        switch kind {
        case .insert: setAll(context.insertBook(title))
        case .insertMagazine:
            let magazine = Magazine(context: context)
            magazine.title = title
            setAll(magazine)
        case .deleteAuthor:
            if let author = try context.all(Author.self, by: "name").first {
                context.delete(author)
            }
        case .moveToSection, .move, .show, .touch, .changeAll, .attribute, .delete:
            guard !publications.isEmpty else { return }
            let publication = publications[pick % publications.count]
            guard !publication.isDeleted else { return }
            try change(publication, in: context)
        }
    }

    private func change(_ publication: Publication, in context: ManagedObjectContext) throws {
        switch kind {
        case .moveToSection: publication.year = year
        case .move: publication.loanCount = loanCount
        case .show: publication.rating = rating
        case .touch: publication.topics = []
        case .changeAll: setAll(publication)
        case .attribute:
            let author = try context.all(Author.self, by: "name").first
            publication.author = author ?? context.insertAuthor(title)
        case .delete: context.delete(publication)
        case .insert, .insertMagazine, .deleteAuthor: break
        }
    }

    private func setAll(_ publication: Publication) {
        publication.year = year
        publication.loanCount = loanCount
        publication.rating = rating
    }
}

extension [Edit] {
    /// Performs them as one event.
    fileprivate func perform(in context: ManagedObjectContext) throws {
        let publications = try context.all(Publication.self, by: "title")
        for edit in self { try edit.perform(in: context, on: publications) }
    }
}
