import ObjectGraph

/// The five tables as entities. A flight refers to its plane, airline, origin and destination.
///
/// Attributes have the names of the fields in `Datasets`, with two exceptions: `distance`, which is
/// in miles, and the codes of airports, whose names are used by the relationships.
enum FlightsModel {
    /// The fetch indexes of flights. Foreign keys always have indexes.
    enum Indexes: String, CaseIterable, Sendable, Codable {
        case none
        /// Indexes on distance and tail number.
        case plain
        /// As `plain`, and one on the tail number without case and diacritics, which only the
        /// engine can maintain.
        case folded
    }

    static func make(_ indexes: Indexes) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(Airline.self), EntityDescription(Airport.self),
            EntityDescription(Plane.self), EntityDescription(Weather.self),
            EntityDescription(Flight.self, indexes: fetchIndexes(indexes)),
        ])
    }

    /// Makes an empty store, so that peers start with exactly the tables and indexes of the stacks.
    static func makeStore(_ configuration: SubjectConfiguration) throws {
        let coordinator = PersistentStoreCoordinator(
            model: try make(configuration.indexes))
        let store = try coordinator.addPersistentStore(.sqlite(at: configuration.storeURL))
        try coordinator.removePersistentStore(store)
    }

    private static func fetchIndexes(_ indexes: Indexes) -> [FetchIndexDescription] {
        let plain = [
            FetchIndexDescription("byDistance", on: "distance"),
            FetchIndexDescription("byTailNumber", on: "tailNumber"),
        ]
        let folded = FetchIndexDescription(
            "byFoldedTailNumber",
            elements: [.init("tailNumber", folding: .caseAndDiacriticInsensitive)])
        return switch indexes {
        case .none: []
        case .plain: plain
        case .folded: plain + [folded]
        }
    }
}

extension WorkerJob {
    /// The fetch indexes of the flights' store.
    var indexes: FlightsModel.Indexes {
        parameters["indexes"].flatMap(FlightsModel.Indexes.init(rawValue:)) ?? .plain
    }
}
