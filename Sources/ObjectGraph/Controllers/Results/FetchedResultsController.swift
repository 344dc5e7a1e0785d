import Foundation

/// The objects of a fetch, in sections, kept up to date with every change of their context (spec
/// §10.1–10.3).
///
///     let controller = try FetchedResultsController(
///         Book.fetchRequest(), in: view, sectionedBy: .keyPath("year"))
///     controller.delegate = list
///     try controller.performFetch()
///
/// Content is followed from `performFetch` on while there is a delegate, or a reader of
/// `snapshots`. It follows unsaved changes at the end of each event, and what the context merges.
/// An event costs O(c log n) for c changed objects of n, however long the list is.
///
/// Queue: everything must be used on the context's queue, as its objects.
public final class FetchedResultsController<Object: ManagedObject>: @unchecked Sendable {
    // @unchecked Sendable: as a context, all state is used on the context's queue only. The
    // observation and the snapshot observers have their own locks.

    public let context: ManagedObjectContext

    /// The request; needs at least one sort key. A change takes effect with the next
    /// `performFetch`.
    public var fetchRequest: FetchRequest

    /// The expression whose values divide the objects into sections; nil for one section, "".
    public let sectionExpression: ObjectExpression?

    /// The name under which sections are kept on disk; nil to compute them each time.
    public let cacheName: String?

    /// Receives the changes in one of the three shapes: `FetchedResultsChangeDelegate`,
    /// `FetchedResultsSnapshotDelegate`, `FetchedResultsDifferenceDelegate`.
    ///
    /// With several, snapshots come before differences, and these before single changes. Set it
    /// before `performFetch`: changes that no delegate follows leave the content as it was fetched.
    public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?

    let cache: SectionCache
    let snapshotObservers = Observers<FetchedResultsSnapshot>()

    var list: ResultList?
    var order: ResultOrder?
    var windows = ResultWindows()

    /// Digests of related objects, for those that the context has realised.
    var relatedStamps: [RelatedIdentity: Int] = [:]

    /// Whether events have passed that were not followed.
    var isStale = false

    /// How many fetches have succeeded.
    var fetchCount = 0

    /// The items whose keys were renewed and that no delegate was notified of.
    var renewedKeys: [RenewedKey] = []
    var observation: Observation?

    /// A controller of the objects of any request.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request; its objects must be of the class.
    ///   - context: The context whose changes are followed.
    ///   - section: The value whose text names an object's section: a key path, also to a transient
    ///     attribute or through to-one relationships, or another expression. The sort keys must
    ///     keep equal values together.
    ///   - cacheName: A name for the sections on disk.
    ///   - cacheFolder: The folder for the file.
    public init(
        _ fetchRequest: FetchRequest, in context: ManagedObjectContext,
        sectionedBy section: ObjectExpression? = nil, cacheName: String? = nil,
        cacheFolder: URL = FetchedResultsController.defaultCacheFolder
    ) {
        self.fetchRequest = fetchRequest
        self.context = context
        self.cacheName = cacheName
        sectionExpression = section
        cache = SectionCache(folder: cacheFolder)
    }

    /// A controller of the objects of a class.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request.
    ///   - context: The context whose changes are followed.
    ///   - section: The value whose text names an object's section; see the other initializer.
    ///   - cacheName: A name for the sections on disk.
    ///   - cacheFolder: The folder for the file.
    /// - Throws: `FetchError.unknownEntity` unless exactly one entity has the class.
    public convenience init(
        _ fetchRequest: TypedFetchRequest<Object>, in context: ManagedObjectContext,
        sectionedBy section: ObjectExpression? = nil, cacheName: String? = nil,
        cacheFolder: URL = FetchedResultsController.defaultCacheFolder
    ) throws(FetchError) {
        self.init(
            try fetchRequest.request(in: context.model), in: context, sectionedBy: section,
            cacheName: cacheName, cacheFolder: cacheFolder)
    }

    // MARK: - Content

    /// The number of objects; 0 before `performFetch`.
    public var count: Int {
        context.checkQueue()
        return list?.count ?? 0
    }

    /// All objects in order; nil before `performFetch`. Cost: reads those that are not loaded, a
    /// batch a statement.
    public var fetchedObjects: [Object]? {
        context.checkQueue()
        return list.map { objects(at: 0..<$0.count) }
    }

    /// The sections in order; nil before `performFetch`. Without a section key there is one, with
    /// it none is empty. Cost: O(number of sections).
    public var sections: [FetchedResultsSection<Object>]? {
        context.checkQueue()
        guard let list else { return nil }
        var sections: [FetchedResultsSection<Object>] = []
        list.sections.forEach { handle, name in
            sections.append(
                FetchedResultsSection(
                    name: name, numberOfObjects: list.sections.weight(of: handle), of: self))
        }
        return sections
    }

    /// The object at an index path. Cost: a statement if its batch is not loaded.
    ///
    /// - Throws: `FetchedResultsError.noObject` out of range, `notFetched` without content.
    public func object(at indexPath: IndexPath) throws(FetchedResultsError) -> Object {
        context.checkQueue()
        guard let list else { throw .notFetched }
        guard let position = list.position(at: indexPath) else {
            throw .noObject(at: indexPath, sections: list.sections.count)
        }
        return object(at: position)
    }

    /// Where an object is; nil if the list does not contain it, or if identities of a long list cannot
    /// be read, which empties the content and is reported to the delegate. Cost: O(n) for the first
    /// question after a fetch, then O(log n).
    public func indexPath(for object: Object) -> IndexPath? {
        context.checkQueue()
        guard requireItems() else { return nil }
        followKeys()
        guard object.managedObjectContext === context,
            let handle = list?.handle(of: RowIdentity(object))
        else { return nil }
        return list?.indexPath(of: handle)
    }

    /// The content as identifiers; nil before `performFetch`, and if they cannot be read, as for
    /// `indexPath(for:)`. Cost: O(n), no statement.
    public var snapshot: FetchedResultsSnapshot? {
        context.checkQueue()
        followKeys()
        return makeSnapshot()
    }

    /// The content after each `performFetch` and each event from now on. The number of unread
    /// snapshots has no limit. May be called from any thread.
    public var snapshots: AsyncStream<FetchedResultsSnapshot> { snapshotObservers.stream }

    // MARK: - The section index

    /// The titles of the sections, each once, in order; empty before `performFetch`.
    public var sectionIndexTitles: [String] {
        var known: Set<String> = []
        return (sections ?? []).compactMap(\.indexTitle).filter { known.insert($0).inserted }
    }

    /// The first section with a title of the section index.
    ///
    /// - Throws: `FetchedResultsError.noIndexTitle` if the title is not at this index of
    ///   `sectionIndexTitles`.
    public func section(
        forSectionIndexTitle title: String, at index: Int
    ) throws(FetchedResultsError) -> Int {
        let titles = sectionIndexTitles
        guard titles.indices.contains(index), titles[index] == title,
            let section = sections?.firstIndex(where: { $0.indexTitle == title })
        else { throw .noIndexTitle(title, at: index) }
        return section
    }

    func indexTitle(ofSection name: String) -> String? {
        guard let delegate else { return defaultIndexTitle(ofSection: name) }
        return delegate.controller(self, indexTitleForSection: name)
    }

    func defaultIndexTitle(ofSection name: String) -> String? {
        name.first.map { $0.uppercased() }
    }

    // MARK: - The cache

    /// The folder for sections on disk unless another is given.
    public static var defaultCacheFolder: URL { SectionCache.defaultFolder }

    /// Deletes the sections that are kept under a name; with nil, those under every name.
    ///
    /// - Throws: The file system's error if a file cannot be deleted.
    public static func deleteCache(
        named name: String?, in folder: URL = FetchedResultsController.defaultCacheFolder
    ) throws {
        try SectionCache(folder: folder).delete(name)
    }
}
