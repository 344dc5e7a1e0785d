import Foundation
import Synchronization

/// The identity of a managed object: immutable, hashable, safe on any thread, and the only thing about an object that
/// may cross from one context to another.
///
/// A new object has a temporary identifier until the save that writes its row; the identifier of the row is permanent
/// and equal in every coordinator on the same store. Source: spec §2.1.
public struct ManagedObjectID: Sendable, Hashable {
    let scope: ObjectIDScope

    /// The primary key of the row, or a negative number that is unique in the process for a temporary identifier.
    let reference: Int64

    /// The name of the object's concrete entity.
    public var entityName: String { scope.entityName }

    /// The description of the object's concrete entity, in the model that the identifier comes from.
    public var entity: EntityDescription { scope.entity.description }

    /// Whether the object has never been saved to a store.
    public var isTemporaryID: Bool { reference < 0 }

    /// The identifier of the store the object is in or will go to; nil when no store has been chosen yet.
    public var storeIdentifier: String? { scope.storeIdentifier }

    /// The identifier as a URI, `x-coredata://STORE/Entity/p12`, or `/t…` when temporary.
    public var uriRepresentation: URL {
        let host = scope.storeIdentifier ?? ""
        let tail =
            isTemporaryID ? "t\(ObjectIDScope.processIdentifier)\(-reference)" : "p\(reference)"
        return URL(string: "x-coredata://\(host)/\(scope.entityName)/\(tail)")!
    }

    public static func == (first: Self, second: Self) -> Bool {
        first.reference == second.reference
            && (first.scope === second.scope || first.scope.isSameHierarchy(as: second.scope))
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(reference)
        hasher.combine(scope.rootEntityName)
    }
}

extension ManagedObjectID: CustomStringConvertible {
    public var description: String { uriRepresentation.absoluteString }
}

/// What the identifiers of one entity's objects in one store have in common.
///
/// One instance serves all identifiers of an entity in a coordinator, so an identifier is two words.
final class ObjectIDScope: Sendable {
    let storeIdentifier: String?
    let entityName: String
    let rootEntityName: String

    /// The number of the store in its coordinator; 0 for objects without a store.
    let storeNumber: Int
    let entityIndex: Int
    let entity: Entity

    init(storeIdentifier: String?, storeNumber: Int, entity: Entity, root: Entity) {
        self.entity = entity
        self.storeIdentifier = storeIdentifier
        self.storeNumber = storeNumber
        self.entityName = entity.name
        self.rootEntityName = root.name
        self.entityIndex = entity.index
    }

    /// Those of all entities of a model in one store, by entity index.
    static func all(
        in model: ManagedObjectModel, storeIdentifier: String?, storeNumber: Int
    ) -> [ObjectIDScope] {
        model.entities.map {
            ObjectIDScope(
                storeIdentifier: storeIdentifier, storeNumber: storeNumber, entity: $0,
                root: model.entities[$0.rootIndex])
        }
    }

    func isSameHierarchy(as other: ObjectIDScope) -> Bool {
        storeIdentifier == other.storeIdentifier && rootEntityName == other.rootEntityName
    }

    static let processIdentifier = UUID().uuidString

    private static let temporaryReferences = Atomic<Int64>(0)

    /// A reference for a new object: negative, never handed out twice in a process.
    static func newTemporaryReference() -> Int64 {
        temporaryReferences.subtract(1, ordering: .relaxed).newValue
    }

    /// The reference handed out last; those to come are less.
    static var lastTemporaryReference: Int64 { temporaryReferences.load(ordering: .relaxed) }
}
