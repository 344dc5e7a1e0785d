import Foundation
import ObjectGraph

/// Where the pictures of people are kept, and how they are written and read there.
struct Album: Sendable {
    enum Place: String, CaseIterable {
        /// In an attribute of the person.
        case inline
        /// In an entity of their own, at the other end of a to-one relationship.
        case apart
        /// In an attribute of the person that allows external storage.
        case external
        /// In files that the program writes. The person has the name.
        case path
    }

    let place: Place
    let pictureBytes: Int
    private let folder: URL
    private let isSynced: Bool

    init(_ context: WorkerContext) {
        place = context.choice("place")
        pictureBytes = context.integer("kibibytes") * 1024
        folder = context.storeURL.supportFolder
        isSynced = context.job.synchronous != "off"
    }

    /// Whether pictures are files. Stores move values of more than 100 KiB out.
    var usesFiles: Bool { place == .path || place == .external && pictureBytes > 100 * 1024 }

    func makeModel() throws -> ManagedObjectModel {
        let picture = AttributeDescription(
            "picture", .binaryData, isOptional: false,
            allowsExternalStorage: place == .external)
        var person = EntityDescription(
            name: "Person", managedObjectClass: Person.self,
            attributes: [AttributeDescription("name", .string, isOptional: false)],
            indexes: [FetchIndexDescription("byName", on: "name")])
        switch place {
        case .inline, .external: person.attributes.append(picture)
        case .path: person.attributes.append(AttributeDescription("file", .string))
        case .apart:
            person.relationships = [
                .toOne("portrait", "Portrait", inverse: "person", deleteRule: .cascade)
            ]
        }
        guard place == .apart else { return try ManagedObjectModel(entities: [person]) }
        let portrait = EntityDescription(
            name: "Portrait", managedObjectClass: Portrait.self, attributes: [picture],
            relationships: [.toOne("person", "Person", inverse: "portrait")])
        return try ManagedObjectModel(entities: [person, portrait])
    }

    // MARK: Writing

    /// Inserts a person with a picture, without saving.
    func insert(_ number: Int, in context: ManagedObjectContext) throws {
        let person = Person(context: context)
        person.number = number
        let picture = Data(repeating: Self.byte(of: number), count: pictureBytes)
        switch place {
        case .inline, .external: person[Person.picture] = picture
        case .path: person[Person.file] = try write(picture, to: "\(number)")
        case .apart:
            let portrait = Portrait(context: context)
            portrait[Portrait.picture] = picture
            person[Person.portrait] = portrait
        }
    }

    /// Writes a file so that it is on the disk before its name can be, as durable as a value in the
    /// row.
    private func write(_ picture: Data, to name: String) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: name)
        try picture.write(to: file)
        if isSynced {
            let handle = try FileHandle(forWritingTo: file)
            try handle.synchronize()
            try handle.close()
        }
        return name
    }

    // MARK: Reading

    /// Finds each person by the name and reads the picture.
    ///
    /// - Returns: the sum of one byte of each 4,096, so that all pages of all pictures are read.
    func read(_ numbers: some Sequence<Int>, in context: ManagedObjectContext) throws -> Int {
        var sum = 0
        for number in numbers {
            let predicate = try ObjectPredicate("name == %@", Person.name(of: number))
            guard let person = try Person.findFirst(in: context, where: predicate) else { continue }
            let picture = try picture(of: person)
            for index in stride(from: 0, to: picture.count, by: Self.pageBytes) {
                sum += Int(picture[picture.startIndex + index])
            }
        }
        return sum
    }

    private func picture(of person: Person) throws -> Data {
        switch place {
        case .inline, .external: person[Person.picture]
        case .apart: person[Person.portrait]?[Portrait.picture] ?? Data()
        case .path: try Data(contentsOf: folder.appending(path: person[Person.file]))
        }
    }

    private static let pageBytes = 4096

    /// The pages of a picture.
    var pageCount: Int { (pictureBytes + Self.pageBytes - 1) / Self.pageBytes }

    /// The byte that a picture consists of. Stores mark external values with 1 and 2.
    static func byte(of number: Int) -> UInt8 { UInt8(3 + number % 250) }

    /// The sizes of all files of pictures.
    func files() throws -> [Int] {
        let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey]
        let entries = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: Array(keys))
        var sizes: [Int] = []
        while let file = entries?.nextObject() as? URL {
            let values = try file.resourceValues(forKeys: keys)
            if values.isRegularFile == true { sizes.append(values.fileSize ?? 0) }
        }
        return sizes
    }
}

final class Person: ManagedObject {
    fileprivate static let name = Attribute<String>("name")
    fileprivate static let picture = Attribute<Data>("picture")
    fileprivate static let portrait = ToOne<Portrait>("portrait")
    fileprivate static let file = Attribute<String>("file")

    /// Names sort in the order of the numbers.
    fileprivate static func name(of number: Int) -> String { "P-\(100_000 + number)" }

    var number: Int {
        get { Int(self[Self.name].dropFirst(2)).map { $0 - 100_000 } ?? -1 }
        set { self[Self.name] = Self.name(of: newValue) }
    }
}

private final class Portrait: ManagedObject {
    static let picture = Attribute<Data>("picture")
}
