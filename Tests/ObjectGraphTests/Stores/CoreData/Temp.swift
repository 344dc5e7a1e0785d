import Foundation

@testable import ObjectGraph

extension CoreDataStore {
    static func cache(of model: ManagedObjectModel) throws -> Data { Data() }
}
