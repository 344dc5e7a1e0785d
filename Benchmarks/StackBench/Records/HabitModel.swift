import Foundation
import ObjectGraph

/// The entities of the store of habits: those of an app with chats, contacts, branches, playlists,
/// photos and forms, and rows of three unusual shapes.
enum HabitModel {
    static let wideCount = 30
    static let sparseCount = 30
    static let shapeKinds = 12
    private static let formFieldCount = 20
    private static let rulesPerField = 10

    static func make() throws -> ManagedObjectModel {
        var form = EntityDescription(Form.self)
        for index in form.attributes.indices {
            form.attributes[index].validationRules = (0..<rulesPerField / 2).flatMap {
                [
                    ValidationRule("SELF >= \(-$0)", .message("too small")),
                    ValidationRule("SELF <= \(1_000_000 + $0)", .message("too large")),
                ]
            }
        }
        let shapes = (0..<shapeKinds).map { kind in
            EntityDescription(
                name: Shape.name(ofKind: kind), managedObjectClass: Shape.self,
                superentity: "Shape",
                attributes: [AttributeDescription("side\(kind)", .integer64)])
        }
        return try ManagedObjectModel(
            entities: [
                EntityDescription(Chat.self),
                EntityDescription(
                    Post.self,
                    indexes: [
                        FetchIndexDescription("byNumber", on: "number"),
                        FetchIndexDescription("bySentAt", on: "sentAt"),
                        FetchIndexDescription("bySender", on: "sender", "sentAt"),
                    ]),
                EntityDescription(
                    Contact.self, uniquenessConstraints: [["email"]],
                    indexes: [FetchIndexDescription("byName", on: "name")]),
                EntityDescription(Branch.self), EntityDescription(Playlist.self),
                EntityDescription(Track.self), EntityDescription(WideRow.self),
                EntityDescription(SparseRow.self), EntityDescription(Photo.self), form,
                EntityDescription(Shape.self, isAbstract: true),
            ] + shapes)
    }

    /// The fields of a form, which all have rules.
    static let fieldNames = (0..<formFieldCount).map { "field\($0)" }
}

final class Chat: ManagedObject {
    static let title = Attribute<String>("title")
    static let updatedAt = Attribute<Date>("updatedAt")
    static let posts = ToMany<Post>(
        "posts", inverse: Post.chat, deleteRule: .cascade)

    override class var managedProperties: [any ManagedProperty] { [title, updatedAt, posts] }
}

final class Post: ManagedObject {
    static let number = Attribute<Int64>("number")
    static let text = Attribute<String>("text")
    static let sender = Attribute<String>("sender")
    static let sentAt = Attribute<Date>("sentAt")
    static let isRead = Attribute<Bool>("isRead")
    static let chat: ToOne<Chat> = ToOne("chat")

    override class var managedProperties: [any ManagedProperty] {
        [number, text, sender, sentAt, isRead, chat]
    }
}

final class Contact: ManagedObject {
    static let email = Attribute<String>("email")
    static let name = Attribute<String>("name")

    override class var managedProperties: [any ManagedProperty] { [email, name] }
}

final class Branch: ManagedObject {
    static let name = Attribute<String>("name")
    static let parent: ToOne<Branch> = ToOne("parent")
    static let children = ToMany<Branch>("children", inverse: parent, deleteRule: .cascade)

    override class var managedProperties: [any ManagedProperty] { [name, parent, children] }
}

final class Playlist: ManagedObject {
    static let title = Attribute<String>("title")
    static let tracks = OrderedToMany<Track>("tracks", inverse: Track.playlist)

    override class var managedProperties: [any ManagedProperty] { [title, tracks] }
}

final class Track: ManagedObject {
    static let number = Attribute<Int64>("number")
    static let playlist: ToOne<Playlist> = ToOne("playlist")

    override class var managedProperties: [any ManagedProperty] { [number, playlist] }
}

final class WideRow: ManagedObject {
    static let numbers = (0..<HabitModel.wideCount).map { Attribute<Int64>("number\($0)") }
    static let texts = (0..<HabitModel.wideCount).map { Attribute<String>("text\($0)") }

    override class var managedProperties: [any ManagedProperty] { numbers + texts }
}

final class SparseRow: ManagedObject {
    static let values = (0..<HabitModel.sparseCount).map { Attribute<Int32?>("value\($0)") }

    override class var managedProperties: [any ManagedProperty] { values }
}

/// The root of twelve entities, each with a side of its own.
final class Shape: ManagedObject {
    static let kind = Attribute<Int16>("kind")
    static let area = Attribute<Int64>("area")
    static let sides = (0..<HabitModel.shapeKinds).map { Attribute<Int64?>("side\($0)") }

    override class var managedProperties: [any ManagedProperty] { [kind, area] }

    static func name(ofKind kind: Int) -> String { "Shape\(kind)" }
}

final class Photo: ManagedObject {
    static let name = Attribute<String>("name")
    static let data = Attribute<Data>("data", allowsExternalStorage: true)

    override class var managedProperties: [any ManagedProperty] { [name, data] }
}

final class Form: ManagedObject {
    static let fields = HabitModel.fieldNames.map { Attribute<Int64>($0) }

    override class var managedProperties: [any ManagedProperty] { fields }
}
