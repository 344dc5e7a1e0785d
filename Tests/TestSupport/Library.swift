import Foundation
import ObjectGraph

/// The model that the tests share: a library with a relationship of each kind, inheritance and
/// every attribute type.
///
///     Author ──< Publication >──< Topic          Specimen: one attribute of each type
///                 ├ Book
///                 └ Magazine
///
/// Deleting an author deletes its publications; topics are unique by name.
public func makeLibraryModel() throws(ModelError) -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
        EntityDescription(
            name: "Author", managedObjectClass: Author.self,
            attributes: [
                AttributeDescription("name", .string, isOptional: false),
                AttributeDescription("birthYear", .integer32),
            ],
            relationships: [
                .toMany("publications", "Publication", inverse: "author", deleteRule: .cascade)
            ]),
        EntityDescription(
            name: "Publication", managedObjectClass: Publication.self, isAbstract: true,
            attributes: [
                AttributeDescription("title", .string, isOptional: false),
                AttributeDescription("year", .integer32),
                AttributeDescription("loanCount", .integer64, isOptional: false, defaultValue: 0),
                AttributeDescription("rating", .double, isOptional: false, defaultValue: 0.0),
            ],
            relationships: [
                .toOne("author", "Author", inverse: "publications"),
                .toMany("topics", "Topic", inverse: "publications"),
            ],
            indexes: [FetchIndexDescription("byTitle", on: "title")]),
        EntityDescription(
            name: "Book", managedObjectClass: Book.self, superentity: "Publication",
            attributes: [AttributeDescription("pageCount", .integer32)]),
        EntityDescription(
            name: "Magazine", managedObjectClass: Magazine.self, superentity: "Publication",
            attributes: [AttributeDescription("issue", .integer16)]),
        EntityDescription(
            name: "Topic", managedObjectClass: Topic.self,
            attributes: [AttributeDescription("name", .string, isOptional: false)],
            relationships: [.toMany("publications", "Publication", inverse: "topics")],
            uniquenessConstraints: [["name"]]),
        EntityDescription(
            name: "Specimen", managedObjectClass: Specimen.self,
            attributes: [
                AttributeDescription("integer16", .integer16),
                AttributeDescription("integer32", .integer32),
                AttributeDescription("integer64", .integer64),
                AttributeDescription("decimal", .decimal),
                AttributeDescription("double", .double),
                AttributeDescription("float", .float),
                AttributeDescription("string", .string),
                AttributeDescription("boolean", .boolean),
                AttributeDescription("date", .date),
                AttributeDescription("data", .binaryData),
                AttributeDescription("uuid", .uuid),
                AttributeDescription("uri", .uri),
            ]),
    ])
}

public final class Author: ManagedObject {
    public static let name = Attribute<String>("name")
    public static let birthYear = Attribute<Int?>("birthYear")
    public static let publications = ToMany<Publication>("publications")

    public var name: String {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    public var birthYear: Int? {
        get { self[Self.birthYear] }
        set { self[Self.birthYear] = newValue }
    }
    public var publications: Set<Publication> {
        get { self[Self.publications] }
        set { self[Self.publications] = newValue }
    }
}

public class Publication: ManagedObject {
    public static let title = Attribute<String>("title")
    public static let year = Attribute<Int?>("year")
    public static let loanCount = Attribute<Int>("loanCount")
    public static let rating = Attribute<Double>("rating")
    public static let author = ToOne<Author>("author")
    public static let topics = ToMany<Topic>("topics")

    public var title: String {
        get { self[Self.title] }
        set { self[Self.title] = newValue }
    }
    public var year: Int? {
        get { self[Self.year] }
        set { self[Self.year] = newValue }
    }
    public var loanCount: Int {
        get { self[Self.loanCount] }
        set { self[Self.loanCount] = newValue }
    }
    public var rating: Double {
        get { self[Self.rating] }
        set { self[Self.rating] = newValue }
    }
    public var author: Author? {
        get { self[Self.author] }
        set { self[Self.author] = newValue }
    }
    public var topics: Set<Topic> {
        get { self[Self.topics] }
        set { self[Self.topics] = newValue }
    }
}

public final class Book: Publication {
    public static let pageCount = Attribute<Int?>("pageCount")

    public var pageCount: Int? {
        get { self[Self.pageCount] }
        set { self[Self.pageCount] = newValue }
    }
}

public final class Magazine: Publication {
    public static let issue = Attribute<Int?>("issue")

    public var issue: Int? {
        get { self[Self.issue] }
        set { self[Self.issue] = newValue }
    }
}

public final class Topic: ManagedObject {
    public static let name = Attribute<String>("name")
    public static let publications = ToMany<Publication>("publications")

    public var name: String {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    public var publications: Set<Publication> {
        get { self[Self.publications] }
        set { self[Self.publications] = newValue }
    }
}

/// Read and written through its attributes: `specimen[Specimen.uuid] = UUID()`.
public final class Specimen: ManagedObject {
    public static let integer16 = Attribute<Int16?>("integer16")
    public static let integer32 = Attribute<Int32?>("integer32")
    public static let integer64 = Attribute<Int64?>("integer64")
    public static let decimal = Attribute<Decimal?>("decimal")
    public static let double = Attribute<Double?>("double")
    public static let float = Attribute<Float?>("float")
    public static let string = Attribute<String?>("string")
    public static let boolean = Attribute<Bool?>("boolean")
    public static let date = Attribute<Date?>("date")
    public static let data = Attribute<Data?>("data")
    public static let uuid = Attribute<UUID?>("uuid")
    public static let uri = Attribute<URL?>("uri")
}
