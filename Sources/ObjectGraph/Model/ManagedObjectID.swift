import Foundation
import Synchronization

/// The identity of a managed object. It is immutable, hashable and safe on any thread, and the only
/// part of an object that may be passed between contexts.
///
/// A new object has a temporary identifier until a save writes its row. The permanent identifier is
/// equal in all coordinators on the same store. Source: spec §2.1.
public struct ManagedObjectID: Sendable, Hashable {
    package let scope: ObjectIDScope

    /// The primary key of the row. For a temporary identifier, a negative number that is unique in
    /// the process.
    package let reference: Int64

    package init(scope: ObjectIDScope, reference: Int64) {
        self.scope = scope
        self.reference = reference
    }

    /// The name of the object's concrete entity.
    public var entityName: String { scope.entityName }

    /// The description of the object's concrete entity, in the model that the identifier comes
    /// from.
    public var entity: EntityDescription { scope.entity.description }

    /// Whether the object was never saved to a store.
    public var isTemporaryID: Bool { reference < 0 }

    /// The identifier of the store that has the object or will have it; nil if no store was chosen
    /// yet.
    public var storeIdentifier: String? { scope.storeIdentifier }

    /// The identifier as a URI: `x-coredata://STORE/Entity/p12`, or `/t…` if it is temporary.
    public var uriRepresentation: URL {
        let host = scope.storeIdentifier ?? ""
        let tail =
            isTemporaryID ? "t\(ObjectIDScope.processIdentifier)\(-reference)" : "p\(reference)"
        return URL(string: "x-coredata://\(host)/\(scope.entityName)/\(tail)")
            ?? URL(string: "x-coredata://\(host.encoded)/\(scope.entityName.encoded)/\(tail)")!
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

extension String {
    /// For a URI: the identifier of a damaged store may be any text.
    fileprivate var encoded: String {
        let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        return addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: plain))!
    }
}

extension ManagedObjectID: CustomStringConvertible {
    public var description: String { uriRepresentation.absoluteString }
}

/// The common part of the identifiers of one entity's objects in one store.
///
/// All identifiers of an entity in a coordinator share one instance, so an identifier is two words.
package final class ObjectIDScope: Sendable {
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

    /// The scopes of all entities of a model in one store, by entity index.
    package static func all(
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

    /// A reference for a new object: negative and unique in the process.
    static func newTemporaryReference() -> Int64 {
        temporaryReferences.subtract(1, ordering: .relaxed).newValue
    }

    /// The latest temporary reference; later ones are smaller.
    static var lastTemporaryReference: Int64 { temporaryReferences.load(ordering: .relaxed) }
}
