import Foundation
import ObjectGraph

/// The store of a messages app, without classes: inheritance, an ordered relationship, one between
/// many and many, indexes, a uniqueness constraint, an entity without rows. Every text holds
/// ``marker``.
public enum MessagesStore {
    /// No report about the store may contain it.
    public static let marker = "Xq7Secret"

    public static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Contact", isAbstract: true,
                attributes: [AttributeDescription("name", .string)],
                relationships: [
                    .toMany("sentMessages", "Message", inverse: "sender"),
                    .toMany("conversations", "Conversation", inverse: "participants"),
                ], indexes: [FetchIndexDescription("byName", on: "name")]),
            EntityDescription(
                name: "Person", superentity: "Contact",
                attributes: [
                    AttributeDescription("birthday", .date),
                    AttributeDescription("handle", .string),
                ], uniquenessConstraints: [["handle"]]),
            EntityDescription(
                name: "Business", superentity: "Contact",
                attributes: [AttributeDescription("category", .integer16)]),
            EntityDescription(
                name: "Conversation", attributes: [AttributeDescription("title", .string)],
                relationships: [
                    .toMany("participants", "Contact", inverse: "conversations"),
                    .toMany(
                        "messages", "Message", inverse: "conversation", deleteRule: .cascade,
                        isOrdered: true),
                ]),
            EntityDescription(
                name: "Message",
                attributes: [
                    AttributeDescription("text", .string),
                    AttributeDescription("sentAt", .date, isOptional: false),
                    AttributeDescription("number", .integer64),
                    AttributeDescription("isRead", .boolean, defaultValue: false),
                ],
                relationships: [
                    .toOne("sender", "Contact", inverse: "sentMessages"),
                    .toOne("conversation", "Conversation", inverse: "messages", isOptional: false),
                    .toMany("attachments", "Attachment", inverse: "message", deleteRule: .cascade),
                ], indexes: [FetchIndexDescription("bySentAt", on: "sentAt")]),
            EntityDescription(
                name: "Attachment",
                attributes: [
                    AttributeDescription("fileName", .string),
                    AttributeDescription("byteCount", .integer32),
                ],
                relationships: [.toOne("message", "Message", inverse: "attachments")]),
            EntityDescription(name: "Draft", attributes: [AttributeDescription("text", .string)]),
        ])
    }

    /// Writes the model as an `.xcdatamodel`.
    public static func writeModel(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(model().xcdatamodelContents().utf8).write(
            to: folder.appending(path: "contents"))
    }

    /// Makes a store with so many messages, and about a fifth as many other rows.
    public static func make(at url: URL, messageCount: Int) throws {
        let coordinator = PersistentStoreCoordinator(model: try model())
        let store = try coordinator.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let conversationCount = max(messageCount / 50, 1)
        for first in stride(from: 0, to: conversationCount, by: 100) {
            try context.performAndWait {
                for number in first..<min(first + 100, conversationCount) {
                    let count = min(50, messageCount - number * 50)
                    try insertConversation(number, messageCount: count, in: context)
                }
                try context.save()
                context.reset()
            }
        }
        try coordinator.removePersistentStore(store)
    }

    /// A conversation of two contacts of its own.
    private static func insertConversation(
        _ number: Int, messageCount: Int, in context: ManagedObjectContext
    ) throws {
        let person = try context.insertObject(entityName: "Person")
        try person.setValue("\(marker) person \(number)", forKey: "name")
        try person.setValue("\(marker)\(number)", forKey: "handle")
        let business = try context.insertObject(entityName: "Business")
        try business.setValue("\(marker) business \(number)", forKey: "name")
        try business.setValue(Int64(number % 9), forKey: "category")
        let conversation = try context.insertObject(entityName: "Conversation")
        try conversation.setValue("\(marker) title \(number)", forKey: "title")
        try conversation.setValue(Set([person, business]), forKey: "participants")
        for place in 0..<messageCount {
            let message = try context.insertObject(entityName: "Message")
            let position = number * 50 + place
            try message.setValue("\(marker) text \(position)", forKey: "text")
            try message.setValue(
                Date(timeIntervalSinceReferenceDate: Double(position)), forKey: "sentAt")
            try message.setValue(Int64(position), forKey: "number")
            try message.setValue(conversation, forKey: "conversation")
            try message.setValue(place % 3 == 0 ? business : person, forKey: "sender")
            guard place.isMultiple(of: 6) else { continue }
            let attachment = try context.insertObject(entityName: "Attachment")
            try attachment.setValue("\(marker) file \(position)", forKey: "fileName")
            try attachment.setValue(Int64(place * 1_000), forKey: "byteCount")
            try attachment.setValue(message, forKey: "message")
        }
    }
}
