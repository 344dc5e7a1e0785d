import Foundation
import ObjectGraph
import TestSupport
import Testing

// Not formatted, as the guide's other classes.
// swift-format-ignore
extension `Guide` {
    final class Series: ManagedObject {
        static let name: Attribute<String> = Attribute("name")
        static let volumes: ToMany<Volume> = ToMany("volumes", inverse: Volume.series)
        static let count: Attribute<Int> = Attribute("count", derivation: "volumes.@count")
        static let pages: Attribute<Int> = Attribute("pages", derivation: "volumes.pages.@sum")
        static let sortName: Attribute<String> = Attribute("sortName", derivation: "canonical:(name)")
        override class var managedProperties: [any ManagedProperty] {
            [name, volumes, count, pages, sortName]
        }
    }

    final class Volume: ManagedObject {
        static let pages: Attribute<Int> = Attribute("pages")
        static let series: ToOne<Series> = ToOne("series")
        static let seriesName: Attribute<String?> = Attribute("seriesName", derivation: "series.name")
        static let changed: Attribute<Date?> = Attribute("changed", derivation: "now()")
        override class var managedProperties: [any ManagedProperty] {
            [pages, series, seriesName, changed]
        }
    }
}

extension `Guide` {
    @Test func `the store computes derived attributes`() throws {
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [
                EntityDescription(Series.self), EntityDescription(Volume.self),
            ]))
        try coordinator.addPersistentStore(.sqlite(at: file))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let series = Series(context: context)
            series[Series.name] = "Émile"
            let volume = Volume(context: context)
            volume[Volume.pages] = 300
            volume[Volume.series] = series
            #expect(series[Series.count] == 0)

            try context.save()
            context.refresh(series, mergeChanges: true)
            let count = series[Series.count]
            let request = FetchRequest(
                entityName: "Series", predicate: try ObjectPredicate("pages > 100"),
                sortKeys: [.ascending("sortName")])
            let thick = try context.fetch(request, as: Series.self)

            #expect(count == 1 && thick.map { $0[Series.sortName] } == ["emile"])
            context.refresh(volume, mergeChanges: true)
            #expect(volume[Volume.seriesName] == "Émile" && volume[Volume.changed] != nil)
        }
    }
}
