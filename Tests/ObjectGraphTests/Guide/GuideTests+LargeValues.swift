import Foundation
import ObjectGraph
import TestSupport
import Testing

extension Guide {
    @Test func `large values are in files of their own`() throws {
        let scan = AttributeDescription("scan", .binaryData, allowsExternalStorage: true)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Page", attributes: [AttributeDescription("number", .integer64), scan])
        ])
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = PersistentStoreDescription.sqlite(at: file)
        description.externalStorageThresholdBytes = 500_000
        try coordinator.addPersistentStore(description)

        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let page = try context.insertObject(entityName: "Page")
            try page.setValue(Data(repeating: 1, count: 500_001), forKey: "scan")
            try context.save()
        }
        let folder = temporary.url(".library_SUPPORT/_EXTERNAL_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }
}
