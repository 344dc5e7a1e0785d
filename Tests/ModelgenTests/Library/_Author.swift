// Made by modelgen from Library.xcdatamodeld. Do not edit: the next run replaces this file.
// swift-format-ignore-file

import Foundation
import ObjectGraph

public class _Author: ManagedObject {
    override public class var entityName: String { "Author" }

    public static let bookCount = Attribute<Int64?>("bookCount")
    public static let name = Attribute<String>("name")
    public static let website = Attribute<URL?>("website")
    public static let books = OrderedToMany<Book>("books")
    public static let friends = ToMany<Author>("friends")

    public final var bookCount: Int64? {
        get { self[Self.bookCount] }
    }

    public final var name: String {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }

    public final var website: URL? {
        get { self[Self.website] }
        set { self[Self.website] = newValue }
    }

    public final var books: [Book] {
        get { self[Self.books] }
        set { self[Self.books] = newValue }
    }

    public final func addToBooks(_ object: Book) {
        add(object, to: Self.books)
    }

    public final func addToBooks(_ objects: some Sequence<Book>) {
        for object in objects { add(object, to: Self.books) }
    }

    public final func removeFromBooks(_ object: Book) {
        remove(object, from: Self.books)
    }

    public final func removeFromBooks(_ objects: some Sequence<Book>) {
        for object in objects { remove(object, from: Self.books) }
    }

    public final func insertIntoBooks(_ object: Book, at index: Int) {
        self[Self.books].insert(object, at: index)
    }

    public final func removeFromBooks(at index: Int) {
        self[Self.books].remove(at: index)
    }

    public final func replaceBooks(at index: Int, with object: Book) {
        self[Self.books][index] = object
    }

    public final var friends: Set<Author> {
        get { self[Self.friends] }
        set { self[Self.friends] = newValue }
    }

    public final func addToFriends(_ object: Author) {
        add(object, to: Self.friends)
    }

    public final func addToFriends(_ objects: some Sequence<Author>) {
        for object in objects { add(object, to: Self.friends) }
    }

    public final func removeFromFriends(_ object: Author) {
        remove(object, from: Self.friends)
    }

    public final func removeFromFriends(_ objects: some Sequence<Author>) {
        for object in objects { remove(object, from: Self.friends) }
    }

    public final var novels: [Novel] {
        get throws {
            try fetchedObjects(forProperty: "novels").compactMap { $0 as? Novel }
        }
    }

    /// The object with these values, which are unique; nil if there is none.
    public static func find(name: String, in managedObjectContext: ManagedObjectContext) throws -> Self? {
        try Self.findFirst(in: managedObjectContext, where: .comparison(.init(.keyPath("name"), .equal, .constant(name.attributeValue))))
    }

    /// The objects that the request template 'famous' finds.
    public static func famous(count: any PredicateArgument, in managedObjectContext: ManagedObjectContext) throws -> [Author] {
        var request = FetchRequest(entityName: "Author", predicate: try ObjectPredicate("books.@count > $count"))
        request.predicate = request.predicate?.withSubstitutionVariables(["count": count])
        return Array(try managedObjectContext.fetch(request, as: Author.self))
    }
}
