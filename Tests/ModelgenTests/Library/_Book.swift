// Made by modelgen from Library.xcdatamodeld. Do not edit: the next run replaces this file.
// swift-format-ignore-file

import Foundation
import ObjectGraph

/// Whatever has an ISBN.
public class _Book: ManagedObject {
    override public class var entityName: String { "Book" }

    public static let binding = Attribute<Int?>("binding")
    public static let `class` = Attribute<String?>("class")
    public static let cover = Transformable<Cover>("cover")
    public static let genre = Attribute<Genre.RawValue?>("genre")
    public static let isLent = Attribute<Bool>("isLent")
    public static let isbn = Attribute<String>("isbn")
    public static let price = Attribute<Decimal?>("price")
    public static let scan = Attribute<Data?>("scan")
    public static let since = Attribute<Date>("since")
    public static let stamp = Transformable<Stamp>("stamp")
    public static let tags = Transformable<[String]>("tags")
    public static let weight = Attribute<Float?>("weight")
    public static let author = ToOne<Author>("author")
    // 'mark' has no type: use value(forKey: "mark").

    public final var binding: Int? {
        get { self[Self.binding] }
        set { self[Self.binding] = newValue }
    }

    public final var `class`: String? {
        get { self[Self.`class`] }
        set { self[Self.`class`] = newValue }
    }

    public final var cover: Cover? {
        get { self[Self.cover] }
        set { self[Self.cover] = newValue }
    }

    // If 'Genre' is internal, make it public or run modelgen with --internal.
    /// What the shelf says.
    /// Nil if the number is unknown.
    public final var genre: Genre? {
        get { self[Self.genre].flatMap { Genre(rawValue: $0) } }
        set { self[Self.genre] = newValue?.rawValue }
    }

    public final var isLent: Bool {
        get { self[Self.isLent] }
        set { self[Self.isLent] = newValue }
    }

    public final var isbn: String {
        get { self[Self.isbn] }
        set { self[Self.isbn] = newValue }
    }

    public final var price: Decimal? {
        get { self[Self.price] }
        set { self[Self.price] = newValue }
    }

    public final var scan: Data? {
        get { self[Self.scan] }
        set { self[Self.scan] = newValue }
    }

    public final var since: Date {
        get { self[Self.since] }
        set { self[Self.since] = newValue }
    }

    public final var stamp: Stamp? {
        get { self[Self.stamp] }
        set { self[Self.stamp] = newValue }
    }

    public final var tags: [String]? {
        get { self[Self.tags] }
        set { self[Self.tags] = newValue }
    }

    public final var weight: Float? {
        get { self[Self.weight] }
        set { self[Self.weight] = newValue }
    }

    public final var author: Author? {
        get { self[Self.author] }
        set { self[Self.author] = newValue }
    }

    /// The object with these values, which are unique; nil if there is none.
    public static func find(isbn: String, in managedObjectContext: ManagedObjectContext) throws -> Self? {
        try Self.findFirst(in: managedObjectContext, where: .comparison(.init(.keyPath("isbn"), .equal, .constant(isbn.attributeValue))))
    }

    /// The objects with these values, by an index.
    public static func findAll(genre: Genre, since: Date, in managedObjectContext: ManagedObjectContext) throws -> [Book] {
        try Book.all(in: managedObjectContext, where: .and([.comparison(.init(.keyPath("genre"), .equal, .constant(genre.rawValue.attributeValue))), .comparison(.init(.keyPath("since"), .equal, .constant(since.attributeValue)))]))
    }

    /// The objects that the request template 'booksOfAuthors' finds.
    public static func booksOfAuthors(authors: [Author], day: Date, in managedObjectContext: ManagedObjectContext) throws -> [Book] {
        var request = FetchRequest(entityName: "Book", predicate: try ObjectPredicate("author IN $authors AND since < $day"))
        request.fetchLimit = 20
        request.predicate = request.predicate?.withSubstitutionVariables(["authors": authors, "day": day])
        return Array(try managedObjectContext.fetch(request, as: Book.self))
    }

    /// The objects that the request template 'everything' finds.
    public static func everything(in managedObjectContext: ManagedObjectContext) throws -> [Book] {
        let request = FetchRequest(entityName: "Book")
        return Array(try managedObjectContext.fetch(request, as: Book.self))
    }
}
